import { connection, isOffline } from '#/connection.ts'
import { orderingOf, type Ordering } from '#/ordering.ts'
import { attendance, pause, restaurant, resume } from '#/restaurant.ts'
import { Alert, Check, Pause } from '#/views/icons.tsx'

/**
 * Shows whether customers can order, with the switch for it. The live regions always exist, because screen readers announce only
 * changes within an existing region.
 */
export function OrderingBar() {
  const ordering =
    restaurant.value &&
    orderingOf({ connection: connection.value, restaurant: restaurant.value, attendance: attendance.value })
  const isLost = isOffline()
  return (
    <div class={`ordering row ${ordering?.tone ?? ''}`}>
      <div>
        <div role="alert">{ordering && isLost && <OrderingState {...ordering} />}</div>
        <div role="status">{ordering && !isLost && <OrderingState {...ordering} />}</div>
      </div>
      {ordering && !isLost && <Switch isStopped={restaurant.value?.paused === true} />}
    </div>
  )
}

const icons = { 'is-yes': Check, 'is-no': Pause, 'is-lost': Alert } as const

function OrderingState({ can, tone, why }: Ordering) {
  const Icon = icons[tone]
  return (
    <p class="row">
      <Icon />
      <span>
        Customers can order: <strong>{can}</strong>
        {why && `. ${why}`}
      </span>
    </p>
  )
}

/** One button in one place, so that it keeps the focus. */
function Switch({ isStopped }: { isStopped: boolean }) {
  return (
    <button
      class={isStopped ? 'primary of-ready' : undefined}
      onClick={() => void (isStopped ? resume() : pause())}
    >
      {isStopped ? 'Start taking orders' : 'Stop taking orders'}
    </button>
  )
}
