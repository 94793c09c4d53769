import { Bus } from '@platter/bus'
import {
  AccountsResolve,
  AccountsSave,
  CatalogQuote,
  cents,
  OrderMoved,
  PaymentMoved,
  PaymentsAuthorize,
  PaymentsCapture,
  PaymentsRefund,
  PaymentsRelease,
  SagaReply,
  type revealedCard,
} from '@platter/contracts'
import {
  ConcurrencyLimit,
  isUnavailable,
  Problem,
  reasonOf,
  Rendered,
  type internalCaller,
  type Log,
} from '@platter/kit'
import { tokenize as tokenOf } from '../../dev/processor/src/cards.ts'
import { save } from '../../services/accounts/src/handlers/save.ts'
import { Deliverer } from '../../services/orders/src/delivery/deliverer.ts'
import { notifyCancellations } from '../../services/orders/src/delivery/notify-cancellation.ts'
import { handlePaymentMoved } from '../../services/orders/src/saga/handlers/payment-moved.ts'
import { handleReply } from '../../services/orders/src/saga/handlers/saga-reply.ts'
import { rechecker } from '../../services/orders/src/saga/recheck.ts'
import type { Transmission, Transmit } from '../../services/orders/src/delivery/outside/restaurant-link.ts'
import { retrySagas } from '../../services/orders/src/saga/retry-sagas.ts'
import { cancelOrder } from '../../services/orders/src/delivery/routes/cancel-order.ts'
import { operatorCancelOrder } from '../../services/orders/src/operating/routes/operator-cancel-order.ts'
import { refundOrder } from '../../services/orders/src/operating/routes/refund-order.ts'
import { refuseOrder } from '../../services/orders/src/delivery/routes/refuse-order.ts'
import { sendOrder } from '../../services/orders/src/placing/routes/send-order.ts'
import { Orchestrator, type OpenDelivery } from '../../services/orders/src/saga/orchestrator.ts'
import { OrderNotifier } from '../../services/orders/src/saga/order-notifier.ts'
import { commandHandler } from '../../services/payments/src/command-handler.ts'
import { authorize } from '../../services/payments/src/handlers/authorize.ts'
import { capture } from '../../services/payments/src/handlers/capture.ts'
import { refund } from '../../services/payments/src/handlers/refund.ts'
import { refundExecutor } from '../../services/payments/src/refund-executor.ts'
import { processorEventNotifier } from '../../services/payments/src/notify-orders.ts'
import { release } from '../../services/payments/src/handlers/release.ts'
import { commandExecutor } from '../../services/payments/src/command-executor.ts'
import type { Idempotent } from '../../services/orders/src/store/stores.ts'
import { connect } from './broker.ts'
import { bank, database, currentProcess, processor, restaurants, world } from './simulation.ts'
import { isDeliveryDue, isNoticeDue, isSagaDue } from './stores-of-orders.ts'
import { Process } from './world.ts'

type Deadlines = { sagaMs: number; transmitMs: number }

/** A program that restarts when its process dies. It has at most one process at a time. */
class Replica<Api> {
  process: Process | null = null
  api: Api | null = null
  readonly #name: string
  readonly #boot: () => Promise<Api>

  constructor(name: string, boot: () => Promise<Api>) {
    this.#name = name
    this.#boot = boot
  }

  start(inMs: number): void {
    const process = new Process(this.#name)
    process.onDeath(() => {
      world.note(`DEAD ${this.#name}`)
      this.process = null
      this.api = null
      this.start(300 + world.random.next() * 4_000)
    })
    world.schedule(inMs, null, () => {
      this.process = process
      world.schedule(0, process, () => void this.#boot().then((api) => (this.api = api)))
    })
  }
}

/** The replicas of all services. Catalog and accounts are one process. */
export class Replicas {
  deadlines: Deadlines = { sagaMs: 0, transmitMs: 0 }
  readonly orders = ['orders', 'orders-2'].map((name) => new Replica(name, () => orders(this.deadlines)))
  readonly payments = ['payments', 'payments-2'].map((name) => new Replica(name, payments))
  readonly all = [...this.orders, ...this.payments, new Replica('others', others)]

  start(deadlines: Deadlines): void {
    this.deadlines = deadlines
    for (const replica of this.all) replica.start(0)
  }
}

const toHistory = (fields: object, message: string) => world.note(`log: ${message} ${JSON.stringify(fields)}`)
/** Work fails because a dependency is unavailable, or because of a defect. Services log each failed message and delivery. */
function onError(fields: { err?: unknown }, message: string): void {
  toHistory(fields, message)
  if (fields.err !== undefined) recordDefect(fields.err)
}
const log = { debug: toHistory, info: toHistory, warn: toHistory, error: onError } as unknown as Log

/** Records an error as a violation, unless an unavailable dependency or a refused request explains it. */
export function recordDefect(error: unknown): void {
  if (isUnavailable(error) || error instanceof Problem) return
  world.recordViolation(`defect: ${reasonOf(error)}`)
}

/** The link of each restaurant without a console. */
const defaultLink = { kind: 'webhook', url: 'https://simulated/', secret: '', reports: 'detailed' } as const

/** Wires orders like `services/orders/src/wire.ts`, without HTTP. */
async function orders(deadlines: Deadlines) {
  const { stores } = database
  const bus = new Bus({ url: 'amqp://simulated', connect, service: 'orders', log })
  const notifier = new OrderNotifier({ ...stores, bus })
  const openDelivery: OpenDelivery = (...opening) => deliverer.open(...opening)
  const orchestrator = new Orchestrator({ ...stores, bus, notifier, log, deadlines, openDelivery })
  const deliverer = new Deliverer({ ...stores, orchestrator, log, defaultLink, transmit })
  const recheck = rechecker({ ...stores, bus, log })
  bus.onCommand(SagaReply, handleReply({ orchestrator, recheck, log }))
  bus.onCommand(PaymentMoved, handlePaymentMoved({ orchestrator }))
  bus.onEvent(OrderMoved, (event) => notifier.receive(event))
  await bus.start()
  const all = { ...stores, bus, log, stopping, cardMinimum, orchestrator, notifier, limit, idempotent }
  const rows = database.deliveries
  const sweeps: Sweep[] = [
    [() => database.sagas.values().some(isSagaDue), () => retrySagas(all)],
    [() => rows.values().some(isDeliveryDue), () => deliverer.sweep()],
    [() => deliverer.isAnyRunning, () => deliverer.renewLeases()],
    [() => rows.values().some(isNoticeDue), () => notifyCancellations({ ...all, defaultLink, cancel })],
  ]
  for (const each of sweeps) repeat(each)
  return {
    sendOrder: sendOrder({ ...all, payments: tokenize as unknown as ReturnType<typeof internalCaller> }),
    refuseOrder: refuseOrder({ ...all, startWithinMs: 900_000 }),
    refundOrder: refundOrder(all),
    cancelOrder: cancelOrder({ ...all, tenantStores: () => stores }),
    operatorCancelOrder: operatorCancelOrder(all),
  }
}

const transmit: Transmit = (_link, sent) => restaurants.transmit(sent)
const cancel = (_link: unknown, sent: Transmission) => restaurants.cancel(sent)

export type OrdersApi = Awaited<ReturnType<typeof orders>>

const cardMinimum = cents(50)

/** A simulated process dies without stopping. */
const { signal: stopping } = new AbortController()

/** The simulation has no overload. */
const limit = new ConcurrencyLimit({ permits: Infinity })

/** Stores no responses. A repeated request executes its work again, as after a crash before the response was stored. */
const idempotent = (() => ({
  executeRepeatable: async (_call: unknown, work: () => Promise<unknown>) =>
    new Rendered(JSON.stringify(await work())),
})) as unknown as Idempotent

/** Payments, for its operation `tokenize`. */
async function tokenize(_operation: unknown, { cardNumber = '' }: ReturnType<typeof revealedCard>) {
  const response = await processor.request(() => tokenOf(cardNumber))
  if (response && 'token' in response) return response
  throw new Problem('payment-unavailable', 'There is no token.')
}

type Sweep = [isAnyDue: () => boolean, work: () => Promise<unknown>]

/** Replaces `repeat(…, 500, …)`. It skips a round without due rows. */
function repeat([isAnyDue, work]: Sweep): void {
  const process = currentProcess()
  const again = () => world.schedule(400 + world.random.next() * 200, null, look)
  const look = () => {
    if (!process.isAlive) return
    if (!isAnyDue()) return again()
    world.schedule(0, process, () => {
      const round = work().catch((error: unknown) => recordDefect(error))
      void round.then(again)
    })
  }
  again()
}

const noLimits = { countDeclineOfToken: async () => undefined }

/** Wires payments like `services/payments/src/wire.ts`, without HTTP. It also receives events of the processor. */
async function payments() {
  const bus = new Bus({ url: 'amqp://simulated', connect, service: 'payments', log })
  const { authorizations: stored, refunds } = database.stores
  // Only operators read an unknown outcome: no decision depends on it.
  const authorizations = { ...stored, recordUnknown: async () => undefined }
  const execute = commandExecutor({ authorizations, processor: processor.port, limits: noLimits, log })
  const executeRefund = refundExecutor({ refunds, processor: processor.port, log })
  const deps = { authorizations, refunds, execute, executeRefund }
  bus.onCommand(PaymentsAuthorize, commandHandler(bus, authorize({ ...deps, refusal: null })))
  bus.onCommand(PaymentsCapture, commandHandler(bus, capture(deps)))
  bus.onCommand(PaymentsRelease, commandHandler(bus, release(deps)))
  bus.onCommand(PaymentsRefund, commandHandler(bus, refund(deps)))
  await bus.start()
  return { notify: processorEventNotifier({ authorizations, bus }) }
}

const PRICE = cents(1_075)

/** Wires catalog and accounts. Questions have fixed replies, and the command to save cards has its real handler. */
async function others() {
  const bus = new Bus({ url: 'amqp://simulated', connect, service: 'accounts', log })
  bus.onQuestion(CatalogQuote, async ({ items, restaurantApiKey }) => ({
    faults: bank.closed.has(restaurantApiKey)
      ? [{ pointer: '', code: 'restaurant-closed' as const, detail: 'The restaurant has closed.' }]
      : [],
    quote: {
      items: items.map(({ apiKey }) => ({
        apiKey,
        name: 'Soup',
        basePrice: PRICE,
        totalPrice: PRICE,
        customizationChoices: [],
      })),
      subtotal: cents(PRICE * items.length),
      tax: cents(0),
      deliveryPrice: cents(0),
      point: null,
      customerCancelMinutes: 5,
    },
  }))
  bus.onQuestion(AccountsResolve, async () => ({
    faults: [],
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142', email: null },
    card: null,
    address: null,
    newCard: { kind: 'room' as const },
    newAddress: null,
  }))
  bus.onCommand(AccountsSave, save({ cards: database.stores.cards, addresses, bus }))
  await bus.start()
}

const addresses = {
  save: () => {
    throw new Error('no order of the simulation has a new address')
  },
}
