import { z } from 'zod'
import { problems, type Fault, type ProblemCode } from '#/problems.ts'

const ProblemCodes = z
  .enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]])
  .meta({ id: 'ProblemCode', description: 'What went wrong, for programs. There may be more in time.' })

const fault = z
  .object({
    pointer: z
      .string()
      .describe(
        'Where: a JSON Pointer into the body (`/items/0/apiKey`), or `query/NAME`, `path/NAME`, `header/NAME`.',
      ),
    code: ProblemCodes,
    detail: z.string().describe('What is wrong there.'),
  })
  .meta({ id: 'Fault', description: 'One thing that is wrong with a request.' })

/** What every refusal looks like on the wire: RFC 9457, and in the same object what existing clients read. */
export const ProblemDocument = z
  .object({
    type: z.string().describe('Leads to a description of the problem, relative to the server.'),
    title: z.string().describe('The problem in general; always the same for a `code`.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('The problem at hand.'),
    instance: z.string().describe("The request's path."),
    code: ProblemCodes,
    requestId: z.string().describe('As in `X-Request-Id`: quote it when you ask about a problem.'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    declineCode: z
      .string()
      .optional()
      .describe("Of a card: the payment processor's word, for example `insufficient_funds`."),
    errors: z.array(fault).describe('Everything that is wrong with the request, all at once.'),
    error: z.literal(true),
    errorCode: z.int().describe('Like `code`, as a number that never changes.'),
    details: z.string().describe('Like `detail`: fit to show a person.'),
  })
  .meta({ id: 'Problem', description: 'What every answer other than 200 says (RFC 9457).' })
export type ProblemDocument = z.infer<typeof ProblemDocument>

type Case = { detail: string; errors?: Fault[]; declineCode?: string }

/** One thing that is wrong at one place. */
const at = (pointer: string, code: ProblemCode, detail: string): Case => ({
  detail,
  errors: [{ pointer, code, detail }],
})

/** Cases that say more than the title of their row; of the others the title is the detail. */
const cases: Partial<Record<ProblemCode, Case>> = {
  'missing-field': {
    detail: 'recipient.phone is missing.',
    errors: [
      { pointer: '/recipient/phone', code: 'missing-field', detail: 'recipient.phone is missing.' },
      { pointer: '/method', code: 'invalid-field', detail: 'method is not one of pickup, delivery.' },
    ],
  },
  'invalid-field': at('/method', 'invalid-field', 'method is not one of pickup, delivery.'),
  'access-token-missing': { detail: 'Send your access key in the header X-Access-Token.' },
  'card-declined': { detail: 'The card was declined.', declineCode: 'insufficient_funds' },
  'card-expired': { detail: 'The card has expired.', declineCode: 'expired_card' },
  'cvc-failed': { detail: 'The card verification value is wrong.', declineCode: 'incorrect_cvc' },
  'item-not-found': at('/items/0/apiKey', 'item-not-found', 'There is no such menu item.'),
  'card-not-found': at('/card/apiKey', 'card-not-found', 'There is no such card.'),
  'address-not-found': at('/address/apiKey', 'address-not-found', 'There is no such address.'),
  'email-taken': at('/email', 'email-taken', 'The e-mail address is taken.'),
  'item-unavailable': at('/items/0/apiKey', 'item-unavailable', 'Garlic Knots is not available.'),
  'customization-required': at(
    '/items/0/customizationChoices',
    'customization-required',
    'Margherita needs a choice of Size.',
  ),
  'below-delivery-minimum': at(
    '/items',
    'below-delivery-minimum',
    'The order is below the delivery minimum of 10.00.',
  ),
  'address-not-found-on-map': at(
    'query/street-address',
    'address-not-found-on-map',
    'The address was not found on the map.',
  ),
  'tip-out-of-range': at('/tip', 'tip-out-of-range', 'The tip is more than 50.00.'),
}

/** A problem as the documentation shows it. `instance` is the path that it is shown for. */
export function exampleOfProblem(code: ProblemCode, instance: string): ProblemDocument {
  const { status, title, errorCode, retryable } = problems[code]
  const { detail, errors = [], declineCode }: Case = cases[code] ?? { detail: `${title}.` }
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail,
    instance,
    code,
    requestId: '182a2cce-1191-4f2f-b816-c96c88181d5a',
    retryable,
    ...(declineCode !== undefined && { declineCode }),
    errors,
    error: true,
    errorCode,
    details: detail,
  }
}
