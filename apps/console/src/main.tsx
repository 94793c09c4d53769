import { effect, untracked } from '@preact/signals'
import { render } from 'preact'
import { allowSound } from '#/alarm.ts'
import { doubleTaps } from '#/double-tap.ts'
import { subscribe } from '#/subscription.ts'
import { findSession, session } from '#/session.ts'
import { App } from '#/views/app.tsx'

const root = document.getElementById('console')
if (!root) throw new Error('the page has no element #console')

effect(() => {
  const { value } = session
  if (value.state !== 'in') return
  return untracked(() => subscribe(value.restaurantApiKey))
})

// Browsers allow sound only after an interaction with the page. `pointerdown` does not work: it removed the banner before the tap
// ended, so the button moved away from the finger and the first tap was lost.
for (const event of ['click', 'keydown'])
  document.addEventListener(event, () => void allowSound(), { capture: true })

const isDoubleTap = doubleTaps()
root.addEventListener(
  'click',
  (click) => {
    if (!isDoubleTap(click)) return
    click.preventDefault()
    click.stopPropagation()
  },
  { capture: true },
)

render(<App />, root)
void findSession()
