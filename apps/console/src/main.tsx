import { effect, untracked } from '@preact/signals'
import { render } from 'preact'
import { allowSound } from '#/alarm.ts'
import { follow } from '#/follow.ts'
import { findSession, session } from '#/session.ts'
import { App } from '#/views/app.tsx'

const root = document.getElementById('console')
if (!root) throw new Error('the page has no place for the console')

effect(() => {
  const { value } = session
  if (value.state !== 'in') return
  return untracked(() => follow(value.restaurantApiKey))
})

// Browsers let a page make sounds once somebody has touched it, and not before. `click`, because the banner that asks for
// a touch goes then: with `pointerdown` the button under the finger moved away, and the first tap was lost.
for (const touch of ['click', 'keydown']) document.addEventListener(touch, () => void allowSound())

render(<App />, root)
void findSession()
