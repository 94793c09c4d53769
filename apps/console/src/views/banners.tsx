import { soundIsAllowed } from '#/alarm.ts'
import { soundOn } from '#/settings.ts'
import { BellOff } from '#/views/icons.tsx'
import { OrderingBar } from '#/views/ordering-bar.tsx'

/** The live regions always exist, because screen readers announce only changes within an existing region. */
export function Banners() {
  return (
    <div>
      <OrderingBar />
      <div role="status">
        {soundOn.value && !soundIsAllowed.value && (
          <p class="banner row">
            <BellOff />
            <span>The sound is blocked. Tap the page once, so that new orders ring.</span>
          </p>
        )}
      </div>
    </div>
  )
}
