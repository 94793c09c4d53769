import { useSignalEffect } from '@preact/signals'
import { arrival, board } from '#/orders.ts'
import { restaurant } from '#/restaurant.ts'
import { session } from '#/session.ts'
import { dialog, ticket, view } from '#/ui.ts'
import { Banners } from '#/views/banners.tsx'
import { Board } from '#/views/board.tsx'
import { Header } from '#/views/header.tsx'
import { MenuView } from '#/views/menu-view.tsx'
import { Notes } from '#/views/note-list.tsx'
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
        <Banners />
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
