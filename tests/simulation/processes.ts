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
  type CancelOrder,
  type OperatorCancelOrder,
  type RefundOrder,
  type RefuseOrder,
  type revealedCard,
  type SendOrder,
} from '@platter/contracts'
import {
  ConcurrencyLimit,
  isUnavailable,
  Problem,
  reasonOf,
  type Handler,
  type internalCaller,
  type Log,
} from '@platter/kit'
import { save } from '../../services/accounts/src/handlers/save.ts'
import { Deliveries } from '../../services/orders/src/delivery/deliver.ts'
import { notifyCancellations } from '../../services/orders/src/delivery/notify-cancellation.ts'
import { handlePaymentMoved } from '../../services/orders/src/saga/handlers/payment-moved.ts'
import { handleReply } from '../../services/orders/src/saga/handlers/saga-reply.ts'
import { rechecker } from '../../services/orders/src/saga/recheck.ts'
import type { Transmission } from '../../services/orders/src/delivery/outside/restaurant-link.ts'
import { retrySagas } from '../../services/orders/src/saga/retry-sagas.ts'
import { cancelOrder } from '../../services/orders/src/delivery/routes/cancel-order.ts'
import { operatorCancelOrder } from '../../services/orders/src/operating/routes/operator-cancel-order.ts'
import { refundOrder } from '../../services/orders/src/operating/routes/refund-order.ts'
import { refuseOrder } from '../../services/orders/src/delivery/routes/refuse-order.ts'
import { sendOrder } from '../../services/orders/src/placing/routes/send-order.ts'
import { Orchestrator } from '../../services/orders/src/saga/orchestrator.ts'
import { OrderNotifier } from '../../services/orders/src/saga/order-notifier.ts'
import { commandHandler } from '../../services/payments/src/command-handler.ts'
import { authorize } from '../../services/payments/src/handlers/authorize.ts'
import { capture } from '../../services/payments/src/handlers/capture.ts'
import { refund } from '../../services/payments/src/handlers/refund.ts'
import { refundExecutor } from '../../services/payments/src/refund-executor.ts'
import { refunds } from './stores/refunds.ts'
import { orderNotifier } from '../../services/payments/src/notify-orders.ts'
import { release } from '../../services/payments/src/handlers/release.ts'
import { commandExecutor } from '../../services/payments/src/command-executor.ts'
import { connect } from './amqp.ts'
import { authorizations } from './stores/authorizations.ts'
import { idempotent, stores } from './stores.ts'
import { processor } from './processor.ts'
import { addresses, cards } from './stores/saved-records.ts'
import type { Monitors } from './monitors.ts'
import { me, simulation } from './simulation.ts'
import { Process, type World } from './world.ts'

export type Deadlines = { sagaMs: number; transmitMs: number }

/** A program that restarts when its process dies. It has at most one process at a time. */
export class Replica<Api> {
  process: Process | null = null
  api: Api | null = null
  readonly #name: string
  readonly #boot: () => Promise<Api>
  readonly #world: World

  constructor(world: World, name: string, boot: () => Promise<Api>) {
    this.#world = world
    this.#name = name
    this.#boot = boot
    this.start(0)
  }

  start(inMs: number): void {
    const process = new Process(this.#name)
    process.whenDead(() => {
      this.#world.note(`DEAD ${this.#name}`)
      this.process = null
      this.api = null
      this.start(300 + this.#world.random.next() * 4_000)
    })
    this.#world.later(inMs, null, () => {
      this.process = process
      this.#world.later(0, process, () => void this.#boot().then((api) => (this.api = api)))
    })
  }
}

const toHistory = (fields: object, message: string) =>
  simulation().world.note(`log: ${message} ${JSON.stringify(fields)}`)
/** Work fails because a dependency is unavailable, or because of a defect. Services log each failed message and delivery. */
function onError(fields: { err?: unknown }, message: string): void {
  toHistory(fields, message)
  if (fields.err !== undefined) noteMistake(fields.err)
}
const log = { debug: toHistory, info: toHistory, warn: toHistory, error: onError } as unknown as Log

const watched: Monitors['watched'] = (handler) => simulation().monitors.watched(handler)

export function noteMistake(error: unknown): void {
  if (isUnavailable(error) || error instanceof Problem) return
  simulation().world.mistake('defect', reasonOf(error))
}

/** The link of each restaurant without a console (`run.ts`). */
const defaultLink = { kind: 'webhook', url: 'https://simulated/', secret: '', reports: 'detailed' } as const

export type OrdersReplica = {
  sendOrder: Handler<typeof SendOrder>
  refuseOrder: Handler<typeof RefuseOrder>
  refundOrder: Handler<typeof RefundOrder>
  cancelOrder: Handler<typeof CancelOrder>
  operatorCancelOrder: Handler<typeof OperatorCancelOrder>
}

/** Wires orders like `services/orders/src/wire.ts`, without HTTP. */
export function orders(deadlines: Deadlines) {
  return async function boot(): Promise<OrdersReplica> {
    const bus = new Bus({ url: 'amqp://simulated', connect, service: 'orders', log })
    const notifier = new OrderNotifier({ ...stores, bus })
    const orchestrator = new Orchestrator({
      ...stores,
      bus,
      notifier,
      log,
      deadlines,
      openDelivery: (...opening) => deliveries.open(...opening),
    })
    const deliveries = new Deliveries({
      ...stores,
      orchestrator,
      log,
      defaultLink,
      transmit: (_link, sent) => simulation().restaurants.transmit(sent),
    })
    const recheck = rechecker({ ...stores, bus, log })
    bus.onCommand(SagaReply, watched(handleReply({ orchestrator, recheck, log })))
    bus.onCommand(PaymentMoved, watched(handlePaymentMoved({ orchestrator })))
    bus.onEvent(OrderMoved, (event) => notifier.receive(event))
    await bus.start()
    const { database, restaurants } = simulation()
    const cancel = (_link: unknown, sent: Transmission) => restaurants.cancel(sent)
    sweep(
      () => database.isAnySagaDue,
      () => retrySagas({ ...stores, orchestrator, log }),
    )
    sweep(
      () => database.isAnyDeliveryDue,
      () => deliveries.sweep(),
    )
    sweep(
      () => deliveries.isAnyRunning,
      () => deliveries.renewLeases(),
    )
    sweep(
      () => database.isAnyNoticeDue,
      () => notifyCancellations({ ...stores, log, defaultLink, cancel }),
    )
    return {
      sendOrder: sendOrder({
        ...stores,
        bus,
        log,
        stopping,
        cardMinimum,
        orchestrator,
        notifier,
        limit,
        payments: tokenize as unknown as ReturnType<typeof internalCaller>,
      }),
      refuseOrder: refuseOrder({ ...stores, idempotent, orchestrator, acceptWithinMs: 900_000 }),
      refundOrder: refundOrder({ ...stores, idempotent, orchestrator }),
      cancelOrder: cancelOrder({ ...stores, own: () => stores, bus, idempotent, orchestrator }),
      operatorCancelOrder: operatorCancelOrder({ ...stores, idempotent, orchestrator }),
    }
  }
}

const cardMinimum = cents(50)

/** A simulated process dies without stopping. */
const { signal: stopping } = new AbortController()

/** The simulation has no overload. */
const limit = new ConcurrencyLimit({ permits: Infinity })

/** Payments, for its operation `tokenize`. */
const tokenize = async (_: unknown, card: ReturnType<typeof revealedCard>) => {
  const { cardNumber, cvv, expirationMonth, expirationYear } = card
  if (!cardNumber || !cvv || expirationMonth === undefined || expirationYear === undefined)
    throw new Error('simulated clients send card numbers')
  const response = await processor.tokenize({
    cardNumber,
    cvv,
    expirationMonth,
    expirationYear,
  })
  if (response.kind !== 'yes') throw new Problem('payment-unavailable', 'There is no token.')
  return response
}

/** Replaces `repeat(…, 500, …)`. It skips a round without due rows. */
function sweep(isAnyDue: () => boolean, work: () => Promise<unknown>): void {
  const { world } = simulation()
  const process = me()
  const again = () => world.later(400 + world.random.next() * 200, null, look)
  const look = () => {
    if (!process.alive) return
    if (!isAnyDue()) return void again()
    world.later(0, process, () => {
      const round = work().catch((error: unknown) => noteMistake(error))
      void round.then(again)
    })
  }
  again()
}

/** Receives events of the processor. */
export type PaymentsReplica = { notify: ReturnType<typeof orderNotifier> }

/** Wires payments like `services/payments/src/wire.ts`, without HTTP. */
export async function payments(): Promise<PaymentsReplica> {
  const bus = new Bus({ url: 'amqp://simulated', connect, service: 'payments', log })
  const execute = commandExecutor({ authorizations, processor, log })
  const executeRefund = refundExecutor({ refunds, processor, log })
  const deps = { authorizations, refunds, execute, executeRefund }
  bus.onCommand(PaymentsAuthorize, watched(commandHandler(bus, authorize({ ...deps, refusal: null }))))
  bus.onCommand(PaymentsCapture, watched(commandHandler(bus, capture(deps))))
  bus.onCommand(PaymentsRelease, watched(commandHandler(bus, release(deps))))
  bus.onCommand(PaymentsRefund, watched(commandHandler(bus, refund(deps))))
  await bus.start()
  return { notify: orderNotifier({ authorizations, bus }) }
}

const PRICE = cents(1_075)

/** Wires catalog and accounts. Questions have fixed replies, and the command to save cards has its real handler. */
export async function others(): Promise<true> {
  const bus = new Bus({ url: 'amqp://simulated', connect, service: 'accounts', log })
  bus.onQuestion(CatalogQuote, async ({ items, restaurantApiKey }) => ({
    faults: simulation().bank.closed.has(restaurantApiKey)
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
    newCard: null,
    newAddress: null,
  }))
  bus.onCommand(AccountsSave, watched(save({ cards, addresses, bus })))
  await bus.start()
  return true
}
