import type { RestaurantOrder } from '@platter/contracts'
import type { Signal } from '@preact/signals'
import { money } from '#/order.ts'
import { leftOf, refundedOf, toggleMark, type Mark, type Selection } from '#/refund.ts'

type Props = { order: RestaurantOrder; selection: Signal<Selection> }

const kinds = { items: 'Items', all: 'Everything', amount: 'An amount' } as const
type Kind = keyof typeof kinds

/** The refunded parts: items, the whole remaining amount, or an amount. */
export function RefundParts({ order, selection }: Props) {
  const { kind } = selection.value
  return (
    <>
      <div class="options kinds" role="group" aria-label="What to refund">
        {(Object.keys(kinds) as Kind[]).map((one) => (
          <button
            type="button"
            key={one}
            aria-pressed={kind === one}
            onClick={() => (selection.value = { ...selection.value, kind: one })}
          >
            {kinds[one]}
          </button>
        ))}
      </div>
      {kind === 'items' && <Pieces order={order} selection={selection} />}
      {kind === 'all' && <p>Everything that is not refunded yet: {money(leftOf(order))}.</p>}
      {kind === 'amount' && <Amount selection={selection} />}
    </>
  )
}

/** One row per piece, because only one of two equal dishes may be missing. */
function Pieces({ order, selection }: Props) {
  return (
    <ul class="entries panel">
      {order.items.map((item, index) => (
        <li class="entry row" key={index}>
          <p>
            {item.name}
            <small>{detailsOf(order, index)}</small>
          </p>
          <span class="row">
            <MarkButton {...{ selection, index, mark: 'missing', name: item.name }} />
            <MarkButton {...{ selection, index, mark: 'wrong', name: item.name }} />
          </span>
        </li>
      ))}
      {order.deliveryPrice > 0 && (
        <Extra
          selection={selection}
          name="includeDelivery"
          label={`Delivery ${money(order.deliveryPrice)}`}
        />
      )}
      {order.tip > 0 && <Extra selection={selection} name="includeTip" label={`Tip ${money(order.tip)}`} />}
    </ul>
  )
}

function detailsOf(order: RestaurantOrder, index: number): string {
  const { customizationChoices = [], totalPrice = 0 } = order.items[index] ?? {}
  const refunded = refundedOf(order, index)
  return [
    ...customizationChoices.map(({ details }) => details),
    money(totalPrice),
    ...(refunded > 0 ? [`${money(refunded)} refunded`] : []),
  ].join(' · ')
}

type MarkProps = { selection: Signal<Selection>; index: number; mark: Mark; name: string }

function MarkButton({ selection, index, mark, name }: MarkProps) {
  return (
    <button
      type="button"
      aria-pressed={selection.value.marks.get(index) === mark}
      onClick={() => (selection.value = toggleMark(selection.value, index, mark))}
    >
      {mark === 'missing' ? 'Missing' : 'Wrong'}
      <span class="hidden">
        {' '}
        {name}, item {index + 1}
      </span>
    </button>
  )
}

type ExtraProps = { selection: Signal<Selection>; name: 'includeDelivery' | 'includeTip'; label: string }

function Extra({ selection, name, label }: ExtraProps) {
  const { value } = selection
  return (
    <li class="entry row">
      <p>{label}</p>
      <button
        type="button"
        aria-pressed={value[name]}
        onClick={() => (selection.value = { ...value, [name]: !value[name] })}
      >
        Refund<span class="hidden"> {label}</span>
      </button>
    </li>
  )
}

function Amount({ selection }: { selection: Signal<Selection> }) {
  const { value } = selection
  return (
    <>
      <label htmlFor="refund-amount">Amount</label>
      <input
        id="refund-amount"
        inputMode="decimal"
        autocomplete="off"
        value={value.amount}
        onInput={({ currentTarget }) => (selection.value = { ...value, amount: currentTarget.value })}
      />
    </>
  )
}
