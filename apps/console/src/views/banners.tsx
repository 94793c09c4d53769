import type { ComponentChildren } from 'preact'
import { soundIsAllowed } from '#/alarm.ts'
import { timeOf } from '#/clock.ts'
import { connection } from '#/connection.ts'
import { pausedUntil, resume } from '#/restaurant.ts'
import { soundOn } from '#/settings.ts'
import { Alert, BellOff, Pause } from '#/views/icons.tsx'

/** The live regions always exist, because screen readers announce only changes within an existing one. */
export function Banners() {
  return (
    <div class="banners">
      <div role="alert">
        <Offline />
      </div>
      <div role="status">
        <Paused />
        {soundOn.value && !soundIsAllowed.value && (
          <Banner tone="quiet" icon={<BellOff />}>
            The sound is blocked. Tap the page once, so that new orders ring.
          </Banner>
        )}
      </div>
    </div>
  )
}

function Offline() {
  const { value } = connection
  if (value.state !== 'offline') return null
  return (
    <Banner tone="offline" icon={<Alert />}>
      <strong>Offline since {timeOf(value.since / 1_000)}.</strong> Trying to connect. Orders may be missing.
    </Banner>
  )
}

function Paused() {
  const until = pausedUntil()
  if (until === null) return null
  return (
    <Banner tone="paused" icon={<Pause />}>
      <span>
        <strong>Paused until {timeOf(until)}.</strong> Customers cannot order.
      </span>
      <button onClick={() => void resume()}>Resume now</button>
    </Banner>
  )
}

type Banner = { tone: 'offline' | 'paused' | 'quiet'; icon: ComponentChildren; children: ComponentChildren }

function Banner({ tone, icon, children }: Banner) {
  return (
    <div class={`banner is-${tone}`}>
      {icon}
      <div class="words">{children}</div>
    </div>
  )
}
