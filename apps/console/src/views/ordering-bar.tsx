import { useSignal } from '@preact/signals'
import { timeOf } from '#/clock.ts'
import { connection } from '#/connection.ts'
import { orderingOf, type Ordering } from '#/ordering.ts'
import { attendance, restaurant, resume, stop } from '#/restaurant.ts'
import { Alert, Check, Pause } from '#/views/icons.tsx'

/**
 * Shows whether customers can order, with the switch for it. The live regions always exist, because screen readers announce only
 * changes within an existing region.
 */
export function OrderingBar() {
  const ordering =
    restaurant.value &&
    orderingOf({ connection: connection.value, restaurant: restaurant.value, attendance: attendance.value })
  const isLost = ordering !== null && 'since' in ordering
  return (
    <div class={`ordering row ${ordering ? toneOf(ordering) : ''}`}>
      <div role="alert">{ordering && isLost && <OrderingState ordering={ordering} />}</div>
      <div role="status">{ordering && !isLost && <OrderingState ordering={ordering} />}</div>
      {ordering && !isLost && <Switch isStopped={restaurant.value?.paused === true} />}
    </div>
  )
}

function toneOf(ordering: Ordering): string {
  if (ordering.can === 'yes') return 'is-yes'
  if (ordering.can === 'unknown') return 'is-lost'
  return ordering.why === 'offline' || ordering.why === 'unattended' ? 'is-lost' : 'is-no'
}

function OrderingState({ ordering }: { ordering: Ordering }) {
  const why = reasonText(ordering)
  return (
    <p class="row">
      <Icon ordering={ordering} />
      <span>
        Customers can order: <strong>{ordering.can}</strong>
        {why && `. ${why}`}
      </span>
    </p>
  )
}

function Icon({ ordering }: { ordering: Ordering }) {
  if (ordering.can === 'yes') return <Check />
  return toneOf(ordering) === 'is-lost' ? <Alert /> : <Pause />
}

/** Returns the reason text of the page; empty if customers can order. */
function reasonText(ordering: Ordering): string {
  if (ordering.can === 'yes') return ''
  if (ordering.can === 'unknown')
    return `Offline since ${timeOf(ordering.since)}, trying to connect. Your own system may still receive orders.`
  switch (ordering.why) {
    case 'offline':
      return `Offline since ${timeOf(ordering.since)}, trying to connect. Customers cannot order, unless another device of the restaurant is connected. Orders may be missing.`
    case 'stopped':
      return 'The restaurant has stopped taking orders.'
    case 'paused':
      return `Paused until ${timeOf(ordering.until)}.`
    case 'hours':
      return ordering.from === null ? 'Outside the opening hours.' : `Opens ${timeOf(ordering.from)}.`
    case 'unattended':
      return ordering.link === 'webhook'
        ? 'Your own system does not respond to Platter.'
        : 'This console is being connected.'
    case 'hidden':
      return 'The operator has hidden the restaurant.'
  }
}

/** One button in one place, so that it keeps the focus. */
function Switch({ isStopped }: { isStopped: boolean }) {
  const isPending = useSignal(false)
  const toggle = async () => {
    if (isPending.value) return
    isPending.value = true
    await (isStopped ? resume() : stop())
    isPending.value = false
  }
  return (
    <button
      class={isStopped ? 'primary of-ready' : undefined}
      aria-disabled={isPending.value}
      onClick={() => void toggle()}
    >
      {isStopped ? 'Start taking orders' : 'Stop taking orders'}
    </button>
  )
}
