import type { RestaurantOrder } from '@platter/contracts'
import { now } from '#/clock.ts'
import {
  formatMinutes,
  lateAfter,
  linesOf,
  minutesSince,
  money,
  nameOf,
  paymentText,
  toCollectNow,
} from '#/order.ts'
import { failedRefundText, refundText } from '#/refund.ts'
import { restaurant } from '#/restaurant.ts'
import { Bag, Clock, Phone, Pin, Scooter, Speech } from '#/views/icons.tsx'

/* The common parts of an open and a completed order. */
type Of = { order: RestaurantOrder }

export function Age({ order }: Of) {
  const minutes = minutesSince(order.datePlaced, now.value)
  const isLate = restaurant.value !== null && minutes >= lateAfter(order, restaurant.value)
  return (
    <p class={isLate ? 'age row number is-late' : 'age row number'}>
      {!isLate && <Clock />}
      <span>
        {isLate && <strong>Late </strong>}
        <span class="hidden">placed </span>
        {formatMinutes(minutes)}
        <span class="hidden"> ago</span>
      </span>
    </p>
  )
}

export function MethodOf({ order: { method, test } }: Of) {
  return (
    <p class="method row">
      {method === 'pickup' ? <Bag /> : <Scooter />}
      <span class="text">{method === 'pickup' ? 'Pickup' : 'Delivery'}</span>
      {test && <strong class="pill quiet">Test</strong>}
    </p>
  )
}

export function OrderDetails({ order }: Of) {
  return (
    <>
      <Lines order={order} />
      {order.comments && <Comment text={order.comments} />}
      <Customer order={order} />
      <ToPay order={order} />
      <AfterSale order={order} />
    </>
  )
}

function Lines({ order }: Of) {
  return (
    <ul class="lines">
      {linesOf(order.items).map(({ count, name, choices, comments }) => (
        <li key={`${name} ${choices.join()} ${comments}`} class={count > 1 ? 'is-many' : undefined}>
          <span class="amount number">
            {count}
            <span class="hidden"> times </span>
          </span>
          <div>
            <p class="dish">{name}</p>
            {choices.length > 0 && (
              <ul class="choices">
                {choices.map((choice) => (
                  <li key={choice}>{choice}</li>
                ))}
              </ul>
            )}
            {comments && <Comment text={comments} />}
          </div>
        </li>
      ))}
    </ul>
  )
}

/** A comment of the customer. */
function Comment({ text }: { text: string }) {
  return (
    <p class="comment wish row">
      <Speech />
      <span>{text}</span>
    </p>
  )
}

function Customer({ order }: Of) {
  const { recipient, address } = order
  return (
    <div class="customer">
      <p class="spread">
        <strong>{nameOf(order)}</strong>
        <a class="row" href={`tel:${recipient.phone}`}>
          <Phone />
          {recipient.phone}
        </a>
      </p>
      {address && (
        <p class="address row">
          <Pin />
          <span>
            {address.streetAddress}
            {address.aptNumber && `, apt.\u00a0${address.aptNumber}`}
            <br />
            {address.city}, {address.state} {address.zip}
          </span>
        </p>
      )}
    </div>
  )
}

/** The amounts as the processor reports them. */
function AfterSale({ order }: Of) {
  const failed = failedRefundText(order)
  return (
    <>
      {refundText(order) && <p class="quiet number">{refundText(order)}</p>}
      {failed && <p class="error">{failed}</p>}
    </>
  )
}

function ToPay({ order }: Of) {
  const { total } = order
  const toCollect = toCollectNow(order)
  if (toCollect > 0)
    return (
      <p class="spread number is-due">
        <span>Collect cash</span> <strong>{money(toCollect)}</strong>
      </p>
    )
  return (
    <p class="spread number quiet">
      <span>{paymentText(order)}</span> <strong>{money(total)}</strong>
    </p>
  )
}
