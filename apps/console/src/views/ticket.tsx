import type { RestaurantOrder } from '@platter/contracts'
import { timeOf } from '#/clock.ts'
import { linesOf, money, nameOf, paymentText, stateLabel, toCollectNow } from '#/order.ts'
import { refundText } from '#/refund.ts'
import { restaurant } from '#/restaurant.ts'

/** The printed ticket, which is hidden on the screen. */
export function Ticket({ order }: { order: RestaurantOrder }) {
  const { id, datePlaced, method, recipient, address, comments, test, cancellation } = order
  return (
    <section class="ticket" aria-hidden="true">
      <p class="restaurant">{restaurant.value?.name}</p>
      <p class="big">
        {method === 'pickup' ? 'PICKUP' : 'DELIVERY'} {id}
      </p>
      {cancellation && <p class="big">{stateLabel(order)?.toUpperCase()}</p>}
      {test && <p class="big">TEST</p>}
      <p>Placed {timeOf(datePlaced)}</p>
      <ul>
        {linesOf(order.items).map(({ count, name, choices, comments: wish }) => (
          <li key={`${name} ${choices.join()} ${wish}`}>
            <p class="dish">
              {count} × {name}
            </p>
            {choices.map((choice) => (
              <p class="choice" key={choice}>
                + {choice}
              </p>
            ))}
            {wish && <p class="wish">“{wish}”</p>}
          </li>
        ))}
      </ul>
      {comments && <p class="wish">“{comments}”</p>}
      <Sums order={order} />
      {toCollectNow(order) === 0 && <p class="last">{paymentText(order)}</p>}
      {refundText(order) && <p class="last">{refundText(order)}</p>}
      <p>
        {nameOf(order)}
        <br />
        {recipient.phone}
      </p>
      {address && (
        <p>
          {address.streetAddress} {address.aptNumber && `apt. ${address.aptNumber}`}
          <br />
          {address.city}, {address.state} {address.zip}
        </p>
      )}
    </section>
  )
}

function Sums({ order }: { order: RestaurantOrder }) {
  const { subtotal, tax, deliveryPrice, tip, total } = order
  const toCollect = toCollectNow(order)
  const extras: [string, number][] = [
    ['Tax', tax],
    ['Delivery', deliveryPrice],
    ['Tip', tip],
  ]
  return (
    <dl>
      <Sum name="Subtotal" amount={subtotal} />
      {extras.map(([name, amount]) => amount > 0 && <Sum key={name} name={name} amount={amount} />)}
      <Sum name="Total" amount={total} isLast />
      {toCollect > 0 && <Sum name="COLLECT CASH" amount={toCollect} isLast />}
    </dl>
  )
}

function Sum({ name, amount, isLast = false }: { name: string; amount: number; isLast?: boolean }) {
  return (
    <div class={isLast ? 'last' : undefined}>
      <dt>{name}</dt>
      <dd>{money(amount)}</dd>
    </div>
  )
}
