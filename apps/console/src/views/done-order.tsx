import type { RestaurantOrder } from '@platter/contracts'
import { timeOf } from '#/clock.ts'
import { money, nameOf, stateLabel } from '#/order.ts'
import { refundLabel } from '#/refund.ts'
import { cardId } from '#/ui.ts'
import { PrintButton, ReverseButton } from '#/views/order-card.tsx'
import { MethodOf, OrderDetails } from '#/views/order-parts.tsx'

const outcomeOf = (order: RestaurantOrder): string | null =>
  [stateLabel(order), refundLabel(order)].filter((text) => text !== null).join(' · ')

/** A completed order: one line, which expands to all details. */
export function DoneOrder({ order }: { order: RestaurantOrder }) {
  const { apiKey, id, total, cancellation, datePlaced } = order
  return (
    <details
      class={cancellation ? 'done panel is-cancelled' : 'done panel'}
      id={cardId(apiKey)}
      tabIndex={-1}
    >
      <summary class="row">
        <span class="hidden">Order </span>
        <strong>{id}</strong>
        <span class="name">
          {nameOf(order)}
          <small class={cancellation ? 'error' : undefined}>{outcomeOf(order)}</small>
        </span>
        <span class="total number">{money(total)}</span>
      </summary>
      {cancellation && <p class="error">{cancellation.message}</p>}
      <div class="spread">
        <MethodOf order={order} />
        <p>Placed {timeOf(datePlaced)}</p>
      </div>
      <OrderDetails order={order} />
      <div class="actions">
        <div class="minor spread">
          <ReverseButton order={order} />
          <PrintButton order={order} />
        </div>
      </div>
    </details>
  )
}
