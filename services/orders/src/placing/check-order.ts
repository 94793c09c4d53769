import type { Bus, Context } from '@platter/bus'
import {
  AccountsResolve,
  CatalogQuote,
  expiryFaults,
  requestTimes,
  type Address,
  type Cents,
  type Fault,
  type OrderRequest,
  type PrincipalOf,
  type Quote,
  type QuoteQuestion,
  type TokenizedCard,
} from '@platter/contracts'
import { Problem, type Deadline } from '@platter/kit'
import type { z } from 'zod'
import { withCompleteAddress } from '#/placing/complete-address.ts'
import {
  cardOf,
  guestOf,
  resolveQuestionOf,
  newAddressOf,
  recipientOverrides,
  type CompleteOrder,
} from '#/domain/order-request.ts'
import { checkTip, priceOrder, totalFaults, totalOf, type PricedOrder } from '#/domain/order.ts'
import { checkExpectedTotal } from '#/placing/expected-total.ts'

export type Caller = Context &
  Pick<PrincipalOf<'application'>, 'applicationId' | 'mode'> & { now: number; deadline: Deadline }

/** `cardMinimum`: the minimum amount of the payment processor, in cents. */
type Deps = { bus: Pick<Bus, 'ask'>; cardMinimum: Cents }

/**
 * A checked order. `savedCard`: the saved card of the request, with its token. `saves`: whether a new card and a new address are
 * saved, under their own apiKeys. `recheck`: the question for a check after an authentication at the bank.
 */
export type CheckedOrder = {
  order: PricedOrder
  savedCard: TokenizedCard | null
  saves: { card: boolean; address: boolean }
  recheck: QuoteQuestion
  restaurantName: string | undefined
}

/**
 * Sends the questions catalog.quote and accounts.resolve, in parallel unless the quote needs a saved address. Nothing is stored.
 * Throws one Problem with all faults of the order. `now` in epoch milliseconds.
 */
export async function checkOrder(
  { bus, cardMinimum }: Deps,
  given: OrderRequest,
  caller: Caller,
): Promise<CheckedOrder> {
  const { request, faults: addressFaults } = await withCompleteAddress(bus, inMode(given, caller), caller)
  const { resolved, quoted } = await queryServices(bus, request, caller)
  const card = cardOf(request, resolved)
  const address = newAddressOf(request, resolved.newAddress) ?? resolved.address
  // For a delivery without an address, catalog returns a quote without the delivery price.
  const quote = request.method === 'delivery' && !address ? null : quoted.quote
  const tip = checkTip(request.tip, quoted.quote?.subtotal ?? quoted.subtotal ?? null)
  const faults = [
    ...addressFaults,
    ...quoted.faults.map((fault) => faultInMode(fault, caller)),
    ...resolved.faults,
    // The request has the expiry of a new card, and the apiKey of a saved one.
    ...expiryFaults(card, [resolved.card ? '/card/apiKey' : '/card/expirationYear'], caller.now),
    ...amountFaults(request, { quote, tip, cardMinimum }),
  ]
  if (faults.length > 0) throw Problem.of(faults)
  if (!quote || 'fault' in tip || !resolved.recipient) {
    throw new Error('catalog or accounts returned neither faults nor a result')
  }
  const order = priceOrder(request, quote, { recipient: resolved.recipient, card, address, tip: tip.tip })
  checkExpectedTotal(order, request)
  const saves = savesOf(resolved)
  // With the coordinates of the address, a later check needs no geocoder.
  const recheck = quoteQuestionOf(request, order.details.address)
  return { order, savedCard: resolved.card, saves, recheck, restaurantName: quote.restaurantName }
}

type Amounts = { quote: Quote | null; tip: ReturnType<typeof checkTip>; cardMinimum: Cents }

/** Returns the faults of the tip and the total. The total is known only if the quote and the tip are valid. */
function amountFaults(request: CompleteOrder, { quote, tip, cardMinimum }: Amounts): Fault[] {
  if ('fault' in tip) return [tip.fault]
  if (!quote) return []
  return totalFaults({ ...request, total: totalOf(quote, tip.tip) }, cardMinimum)
}

/** With a test key every order is a test order, even if the client sends `"test": false`. */
const inMode = (request: OrderRequest, { mode }: Caller): OrderRequest =>
  mode === 'test' ? { ...request, test: true } : request

/** With a test key the fault names the key, because the client did not choose `test`. */
const faultInMode = (fault: Fault, { mode }: Caller): Fault =>
  mode === 'test' && fault.code === 'not-a-test-restaurant'
    ? {
        pointer: '/restaurantApiKey',
        code: 'test-key',
        detail: 'This restaurant is real. A test key places orders at test restaurants only.',
      }
    : fault

async function queryServices(bus: Deps['bus'], request: CompleteOrder, caller: Caller) {
  if (request.address?.saved) {
    const resolved = await resolveRecords(bus, request, caller)
    return { resolved, quoted: await requestQuote(bus, quoteQuestionOf(request, resolved.address), caller) }
  }
  const [resolved, quoted] = await Promise.all([
    resolveRecords(bus, request, caller),
    requestQuote(bus, quoteQuestionOf(request, newAddressOf(request)), caller),
  ])
  return { resolved, quoted }
}

/** Returns the data of the question catalog.quote. */
function quoteQuestionOf(request: CompleteOrder, address: Address | null): QuoteQuestion {
  const { restaurantApiKey, method, payment, test } = request
  const items = request.items.map((item) => ({
    apiKey: item.apiKey,
    customizationChoices: item.customizationChoices.map(({ apiKey }) => apiKey),
  }))
  return { restaurantApiKey, method, payment, test, items, address }
}

const requestQuote = (bus: Deps['bus'], question: QuoteQuestion, { requestId, deadline }: Caller) =>
  bus.ask(CatalogQuote, question, { requestId, timeoutMs: deadline.limit(requestTimes.question) })

type Resolved = z.output<typeof AccountsResolve.reply>

/** Returns which new records the account of the recipient saves. */
const savesOf = ({ newCard, newAddress }: Pick<Resolved, 'newCard' | 'newAddress'>) => ({
  card: newCard?.kind === 'room',
  address: newAddress?.kind === 'room',
})

/** Sends no question to accounts for a guest's order without saved records. */
async function resolveRecords(bus: Deps['bus'], request: CompleteOrder, caller: Caller): Promise<Resolved> {
  const guest = guestOf(request)
  const question = resolveQuestionOf(request)
  if (guest && question.cardApiKey === null && question.addressApiKey === null) {
    return { faults: [], recipient: guest, card: null, address: null, newCard: null, newAddress: null }
  }
  const reply = await askAccounts(bus, question, caller)
  const user = reply.recipient && { ...reply.recipient, ...recipientOverrides(request.recipient) }
  return { ...reply, recipient: guest ?? user }
}

type Records = Omit<z.input<typeof AccountsResolve.data>, 'applicationId'>

export function askAccounts(bus: Pick<Bus, 'ask'>, records: Records, caller: Caller) {
  const { applicationId, requestId, deadline } = caller
  const options = { requestId, timeoutMs: deadline.limit(requestTimes.question) }
  return bus.ask(AccountsResolve, { applicationId, ...records }, options)
}
