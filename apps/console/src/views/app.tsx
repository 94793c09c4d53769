import { useSignalEffect } from '@preact/signals'
import { soundIsAllowed } from '#/alarm.ts'
import { arrival, board } from '#/orders.ts'
import { restaurant } from '#/restaurant.ts'
import { session } from '#/session.ts'
import { soundOn } from '#/settings.ts'
import { dialog, ticket, view } from '#/ui.ts'
import { Board } from '#/views/board.tsx'
import { Header } from '#/views/header.tsx'
import { BellOff } from '#/views/icons.tsx'
import { MenuView } from '#/views/menu-view.tsx'
import { Notes } from '#/views/note-list.tsx'
import { OrderingBar } from '#/views/ordering-bar.tsx'
import { SignIn } from '#/views/sign-in.tsx'
import { Ticket } from '#/views/ticket.tsx'

export function App() {
  useSignalEffect(() => {
    document.title = titleNow()
  })
  const { state } = session.value
  if (state === 'unknown') return <p class="loading">Connecting …</p>
  if (state === 'out') return <SignIn />
  return (
    <>
      <div class="screen">
        <Header />
        <div>
          <OrderingBar />
          {/* The live region always exists, because screen readers announce only changes within an existing region. */}
          <div role="status">
            {soundOn.value && !soundIsAllowed.value && (
              <p class="wish row">
                <BellOff />
                <span>The sound is blocked. Tap the page once, so that new orders ring.</span>
              </p>
            )}
          </div>
        </div>
        <main>{view.value === 'menu' ? <MenuView /> : <Board />}</main>
        {dialog.value === null && <Notes />}
        {/* For screen readers only; sighted users see the board. */}
        <p class="hidden" role="status">
          {arrival}
        </p>
        {dialog.value}
      </div>
      {ticket.value && <Ticket order={ticket.value} />}
    </>
  )
}

/** Returns the title, which begins with the number of new orders, because a background tab shows only the title. */
function titleNow(): string {
  if (session.value.state !== 'in') return 'Platter console'
  const waiting = board.value.new.length
  const name = restaurant.value?.name ?? 'Platter'
  return `${waiting > 0 ? `(${waiting}) ` : ''}${view.value === 'menu' ? 'Menu' : 'Orders'} · ${name}`
}
