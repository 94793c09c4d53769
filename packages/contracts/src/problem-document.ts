import { z } from 'zod'
import { problems, type ProblemCode } from '#/problems.ts'
import { Order } from '#/records.ts'

const Code = z
  .enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]])
  .meta({ id: 'ProblemCode', description: 'The error code, for programs. Later versions may add codes.' })

export const FaultShape = z
  .object({
    pointer: z
      .string()
      .describe(
        'The place: a JSON Pointer into the body (`/items/0/apiKey`), or `query/NAME`, `path/NAME`, `header/NAME`.',
      ),
    code: Code,
    detail: z.string().describe('The fault at that place.'),
  })
  .meta({ id: 'Fault', description: 'One fault of a request.' })
export type Fault = z.infer<typeof FaultShape>

/** The reason of a refusal in messages and rows. `declineCode` is the code of the processor (402 only). */
export const RefusalShape = z.object({
  code: Code,
  detail: z.string(),
  faults: z.array(FaultShape).optional(),
  declineCode: z.string().optional(),
})
export type Refusal = z.infer<typeof RefusalShape>

/** The body of every problem: the members of RFC 9457, and the members that existing clients read. */
export const ProblemDocument = z
  .object({
    type: z.string().describe('The path of a page about the problem, relative to the server.'),
    title: z.string().describe('A short text that is the same for every problem with this `code`.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('A text about this problem.'),
    instance: z.string().describe("The request's path."),
    code: Code,
    requestId: z
      .string()
      .describe(
        'As in `X-Request-Id`, and in a repeated response that of the first request: quote it when you report a problem.',
      ),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    declineCode: z
      .string()
      .optional()
      .describe("For a card: the payment processor's code, for example `insufficient_funds`."),
    order: Order.optional().describe('With `price-changed`: the order as it would be placed now.'),
    errors: z.array(FaultShape).describe('All faults of the request.'),
    error: z.literal(true),
    errorCode: z.int().describe('Like `code`, as a number that never changes.'),
    details: z.string().describe('Like `detail`: fit to show a person.'),
  })
  .meta({ id: 'Problem', description: 'The body of every response that reports a failure (RFC 9457).' })
export type ProblemDocument = z.infer<typeof ProblemDocument>
