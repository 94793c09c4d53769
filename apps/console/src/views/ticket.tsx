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
      <p>{restaurant.value?.name}</p>
      <h2>
        {method === 'pickup' ? 'PICKUP' : 'DELIVERY'} {id}
      </h2>
      {cancellation && <h2>{stateLabel(order)?.toUpperCase()}</h2>}
      {test && <h2>TEST</h2>}
      <p>Placed {timeOf(datePlaced)}</p>
      <ul>
        {linesOf(order.items).map(({ count, name, choices, comments: wish }) => (
          <li key={`${name} ${choices.join()} ${wish}`}>
            <h3>
              {count} × {name}
            </h3>
            {choices.map((choice) => (
              <p key={choice}>+ {choice}</p>
            ))}
            {wish && <Wish text={wish} />}
          </li>
        ))}
      </ul>
      {comments && <Wish text={comments} />}
      <Sums order={order} />
      {toCollectNow(order) === 0 && <strong>{paymentText(order)}</strong>}
      {refundText(order) && <strong>{refundText(order)}</strong>}
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

const Wish = ({ text }: { text: string }) => (
  <p>
    <em>“{text}”</em>
  </p>
)

const Sums = ({ order }: { order: RestaurantOrder }) => (
  <>
    <dl>
      <Sum name="Subtotal" amount={order.subtotal} />
      <Sum name="Tax" amount={order.tax} />
      <Sum name="Delivery" amount={order.deliveryPrice} />
      <Sum name="Tip" amount={order.tip} />
    </dl>
    <dl>
      <Sum name="Total" amount={order.total} />
      <Sum name="COLLECT CASH" amount={toCollectNow(order)} />
    </dl>
  </>
)

type SumProps = { name: string; amount: number }

const Sum = ({ name, amount }: SumProps) =>
  amount > 0 && (
    <div class="spread">
      <dt>{name}</dt>
      <dd>{money(amount)}</dd>
    </div>
  )
