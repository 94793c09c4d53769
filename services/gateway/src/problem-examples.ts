import type { Fault, ProblemCode } from '@platter/contracts'
import { Problem, problemDocument } from '@platter/kit'

type Example = { detail?: string; faults?: Fault[]; declineCode?: string }

const at = (pointer: string, code: ProblemCode, detail: string): Example => ({
  detail,
  faults: [{ pointer, code, detail }],
})

/** Examples for the codes whose title is no realistic detail, or whose documents have faults or a decline code. */
const examples: Partial<Record<ProblemCode, Example>> = {
  'missing-field': {
    detail: 'recipient.phone is missing.',
    faults: [
      { pointer: '/recipient/phone', code: 'missing-field', detail: 'recipient.phone is missing.' },
      { pointer: '/method', code: 'invalid-field', detail: 'method is not one of pickup, delivery.' },
    ],
  },
  'invalid-field': at('/method', 'invalid-field', 'method is not one of pickup, delivery.'),
  'access-token-missing': { detail: 'Send your access key in the header X-Access-Token.' },
  'card-declined': { declineCode: 'insufficient_funds' },
  'card-expired': { declineCode: 'expired_card' },
  'cvc-failed': { declineCode: 'incorrect_cvc' },
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
    'The address was not found on the map. Check its city, state and ZIP code.',
  ),
  'tip-out-of-range': at('/tip', 'tip-out-of-range', 'The tip is more than 50.00.'),
}

/** Returns an example document of a problem for the documentation. `path` is the path of the request. */
export function exampleOfProblem(code: ProblemCode, path: string) {
  const { detail, ...more } = examples[code] ?? {}
  return problemDocument(new Problem(code, detail, more), '182a2cce-1191-4f2f-b816-c96c88181d5a', path)
}
