import type { Bus, Context } from '@platter/bus'
import {
  AccountsResolve,
  CatalogQuote,
  requestTimes,
  type Address,
  type Cents,
  type Fault,
  type OrderRequest,
  type PrincipalOf,
  type Quote,
  type Saving,
  type TokenizedCard,
} from '@platter/contracts'
import { Problem, type Deadline } from '@platter/kit'
import type { z } from 'zod'
import { withCompleteAddress } from '#/placing/complete-address.ts'
import {
  cardOf,
  guestOf,
  namedIn,
  newAddressOf,
  overridden,
  type CompleteOrder,
} from '#/domain/order-request.ts'
import { cardFaults, checkTip, priceOrder, totalFaults, totalOf, type PricedOrder } from '#/domain/order.ts'

type Caller = Context &
  Pick<PrincipalOf<'application'>, 'applicationId' | 'mode'> & { now: number; deadline: Deadline }

/** `cardMinimum`: the smallest amount that the payment processor takes, in cents. */
type Deps = { bus: Bus; cardMinimum: Cents }

/**
 * A checked order. `savedCard` has the token of the card that an apiKey named; `saves`: whether a new card and a new address get
 * an apiKey of their own and are saved under it.
 */
export type CheckedOrder = {
  order: PricedOrder
  savedCard: TokenizedCard | null
  saves: { card: boolean; address: boolean }
}

/**
 * The two read-only steps before anything is stored: catalog.quote and accounts.resolve, in parallel unless the quote needs a
 * saved address. Throws one Problem with all faults of the order.
 * `now` in epoch milliseconds; the questions get what remains of the deadline.
 */
export async function checkOrder(
  { bus, cardMinimum }: Deps,
  given: OrderRequest,
  caller: Caller,
): Promise<CheckedOrder> {
  const { request, faults: addressFaults } = await withCompleteAddress(bus, inMode(given, caller), caller)
  const { resolved, quoted } = await askBoth(bus, request, caller)
  const card = cardOf(request, resolved)
  const address = newAddressOf(request, resolved.newAddress) ?? resolved.address
  // Without an address, catalog quotes a delivery without its price.
  const quote = request.method === 'delivery' && !address ? null : quoted.quote
  const tip = checkTip(request.tip, quoted.quote?.subtotal ?? quoted.subtotal ?? null)
  const faults = [
    ...addressFaults,
    ...quoted.faults.map((fault) => faultInMode(fault, caller)),
    ...resolved.faults,
    ...(card ? cardFaults(card, caller.now) : []),
    ...amountFaults(request, { quote, tip, cardMinimum }),
  ]
  if (faults.length > 0) throw Problem.of(faults)
  if (!quote || 'fault' in tip || !resolved.recipient) {
    throw new Error('catalog or accounts answered neither faults nor facts')
  }
  const known = { recipient: resolved.recipient, card, address, tip: tip.tip }
  const saves = { card: isToBeSaved(resolved.newCard), address: isToBeSaved(resolved.newAddress) }
  return { order: priceOrder(request, quote, known), savedCard: resolved.card, saves }
}

type Amounts = { quote: Quote | null; tip: ReturnType<typeof checkTip>; cardMinimum: Cents }

/** Faults of the tip and of the total, which is known only if neither the quote nor the tip has a fault. */
function amountFaults(request: CompleteOrder, { quote, tip, cardMinimum }: Amounts): Fault[] {
  if ('fault' in tip) return [tip.fault]
  if (!quote) return []
  return totalFaults({ ...request, total: totalOf(quote, tip.tip) }, cardMinimum)
}

/** With a test key every order is a test order, also of a client that always sends `"test": false`. */
const inMode = (request: OrderRequest, { mode }: Caller): OrderRequest =>
  mode === 'test' ? { ...request, test: true } : request

/** With a test key the client did not send `test`: the fault is that the key does not fit the restaurant. */
const faultInMode = (fault: Fault, { mode }: Caller): Fault =>
  mode === 'test' && fault.code === 'not-a-test-restaurant'
    ? {
        pointer: '/restaurantApiKey',
        code: 'test-key',
        detail: 'This restaurant is real. A test key places orders at test restaurants only.',
      }
    : fault

async function askBoth(bus: Bus, request: CompleteOrder, caller: Caller) {
  if (request.address?.saved) {
    const resolved = await resolve(bus, request, caller)
    return { resolved, quoted: await ask(bus, request, resolved.address, caller) }
  }
  const [resolved, quoted] = await Promise.all([
    resolve(bus, request, caller),
    ask(bus, request, newAddressOf(request), caller),
  ])
  return { resolved, quoted }
}

function ask(bus: Bus, request: CompleteOrder, address: Address | null, { requestId, deadline }: Caller) {
  const { restaurantApiKey, method, payment, test } = request
  const items = request.items.map((item) => ({
    apiKey: item.apiKey,
    customizationChoices: item.customizationChoices.map(({ apiKey }) => apiKey),
  }))
  return bus.ask(
    CatalogQuote,
    { restaurantApiKey, method, payment, test, items, address },
    { requestId, timeoutMs: deadline.limit(requestTimes.question) },
  )
}

const NOTHING_RESOLVED: z.output<typeof AccountsResolve.answer> = {
  faults: [],
  recipient: null,
  card: null,
  address: null,
  newCard: null,
  newAddress: null,
}

/** Without an answer to the question, as for a guest, accounts.save decides by itself. */
const isToBeSaved = (saving: Saving | null): boolean => saving === null || saving.kind === 'room'

/** The order of a guest without saved records needs nothing from accounts. */
async function resolve(bus: Bus, request: CompleteOrder, { applicationId, requestId, deadline }: Caller) {
  const guest = guestOf(request)
  const named = namedIn(request)
  if (guest && named.cardApiKey === null && named.addressApiKey === null) {
    return { ...NOTHING_RESOLVED, recipient: guest }
  }
  const answer = await bus.ask(
    AccountsResolve,
    { applicationId, ...named },
    { requestId, timeoutMs: deadline.limit(requestTimes.question) },
  )
  const user = answer.recipient && { ...answer.recipient, ...overridden(request.recipient) }
  return { ...answer, recipient: guest ?? user }
}
