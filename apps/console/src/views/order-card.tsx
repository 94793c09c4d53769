import type { OrderStatus, RestaurantOrder } from '@platter/contracts'
import { now } from '#/clock.ts'
import { pending, report } from '#/orders.ts'
import { actionLabel, columnOf, minutesSince, timeLeft, warningsDue } from '#/order.ts'
import { reversalOf } from '#/refund.ts'
import { cardId, dialog, focusOrder, ticket } from '#/ui.ts'
import { Alert, Printer } from '#/views/icons.tsx'
import { Age, MethodOf, OrderDetails } from '#/views/order-parts.tsx'
import { RefundDialog } from '#/views/refund-dialog.tsx'
import { RefuseDialog } from '#/views/refuse-dialog.tsx'

/** An open order. */
export function OrderCard({ order }: { order: RestaurantOrder }) {
  const { apiKey, id, datePlaced } = order
  const isFresh = columnOf(order) === 'new' && minutesSince(datePlaced, now.value) === 0
  return (
    <article
      class={isFresh ? 'card panel is-fresh' : 'card panel'}
      id={cardId(apiKey)}
      tabIndex={-1}
      aria-labelledby={`${cardId(apiKey)}-title`}
    >
      <header class="row">
        <h3 class="number" id={`${cardId(apiKey)}-title`}>
          <span class="hidden">Order </span>
          {id}
        </h3>
        <MethodOf order={order} />
        <Age order={order} />
      </header>
      <Unstarted order={order} />
      <OrderDetails order={order} />
      <Actions order={order} />
    </article>
  )
}

/** Not a live region, because screen readers would announce it every second. `warnOfUnstarted` announces it once. */
function Unstarted({ order }: { order: RestaurantOrder }) {
  const { acceptBy } = order
  const warnings = warningsDue(order, now.value)
  if (acceptBy === undefined || warnings === 0) return null
  const left = timeLeft(acceptBy, now.value)
  return (
    <p class={warnings > 1 ? 'unstarted row is-urgent' : 'unstarted row'}>
      <Alert />
      {left === null ? (
        <span>Not started in time: the order is being cancelled.</span>
      ) : (
        <span>
          Start within <strong class="number">{left}</strong>, or it is cancelled.
        </span>
      )}
    </p>
  )
}

function Actions({ order }: { order: RestaurantOrder }) {
  const [usual, ...others] = order.nextStatuses
  return (
    <footer class="actions">
      {usual && <MoveButton order={order} to={usual} look="primary" />}
      <div class="minor spread">
        <ReverseButton order={order} />
        {others.map((to) => (
          <MoveButton key={to} order={order} to={to} look="skip" />
        ))}
        <PrintButton order={order} />
      </div>
    </footer>
  )
}

type MoveButtonProps = { order: RestaurantOrder; to: OrderStatus; look: 'primary' | 'skip' }

function MoveButton({ order, to, look }: MoveButtonProps) {
  const { apiKey, id, method } = order
  const move = async () => {
    if (await report(order, to)) focusOrder(apiKey)
  }
  return (
    <button class={look} aria-disabled={pending.value.has(apiKey)} onClick={() => void move()}>
      {actionLabel(to, method)}
      <span class="hidden"> order {id}</span>
    </button>
  )
}

const reversalLabels = { refuse: 'Refuse', refund: 'Refund', cancel: 'Cancel' } as const

export function ReverseButton({ order }: { order: RestaurantOrder }) {
  const reversal = reversalOf(order)
  if (reversal === null) return null
  const ReversalDialog = reversal === 'refund' ? RefundDialog : RefuseDialog
  return (
    <button onClick={() => (dialog.value = <ReversalDialog order={order} />)}>
      {reversalLabels[reversal]} …<span class="hidden"> order {order.id}</span>
    </button>
  )
}

/** Renders the ticket first, and prints in the next frame. */
export function PrintButton({ order }: { order: RestaurantOrder }) {
  const print = () => {
    ticket.value = order
    requestAnimationFrame(() => window.print())
  }
  return (
    <button class="print" onClick={print}>
      <Printer />
      <span class="text">Print</span>
      <span class="hidden"> order {order.id}</span>
    </button>
  )
}
