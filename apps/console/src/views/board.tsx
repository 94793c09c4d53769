import { connection } from '#/connection.ts'
import { board, hasEarlier, showEarlier } from '#/orders.ts'
import { columns, type Column } from '#/order.ts'
import { shownColumn } from '#/ui.ts'
import { DoneOrder } from '#/views/done-order.tsx'
import { OrderCard } from '#/views/order-card.tsx'

export function Board() {
  if (connection.value.state === 'connecting') return <p class="loading">Loading the orders …</p>
  return (
    <div class="board">
      <Picker />
      {columns.map((column) => (
        <BoardColumn key={column} column={column} />
      ))}
    </div>
  )
}

/** The column picker, shown on a screen with space for only one column. */
function Picker() {
  return (
    <div class="picker" role="group" aria-label="Which orders">
      {columns.map((column) => (
        <button
          key={column}
          class={`of-${column}`}
          aria-pressed={shownColumn.value === column}
          onClick={() => (shownColumn.value = column)}
        >
          <span class="number">{board.value[column].length}</span> {texts[column].short}
        </button>
      ))}
    </div>
  )
}

/** `short`: the title in the picker. */
const texts: Readonly<Record<Column, { title: string; short: string; empty: string }>> = {
  new: { title: 'New', short: 'New', empty: 'No new orders. New orders appear here automatically.' },
  preparing: { title: 'In preparation', short: 'Preparing', empty: 'No orders in preparation.' },
  ready: { title: 'Ready or on the way', short: 'Ready', empty: 'No orders to hand over.' },
  done: { title: 'Done', short: 'Done', empty: 'No completed orders yet.' },
}

function BoardColumn({ column }: { column: Column }) {
  const orders = board.value[column]
  const shown = shownColumn.value === column ? 'is-shown' : ''
  return (
    <section class={`column of-${column} ${shown}`} aria-labelledby={`title-${column}`}>
      <h2 class="row" id={`title-${column}`}>
        {texts[column].title} <span class="number quiet">{orders.length}</span>
      </h2>
      {orders.length === 0 ? (
        <p class="nothing">{texts[column].empty}</p>
      ) : (
        <ul class="cards">
          {orders.map((order) => (
            <li key={order.apiKey}>
              {column === 'done' ? <DoneOrder order={order} /> : <OrderCard order={order} />}
            </li>
          ))}
        </ul>
      )}
      {column === 'done' && hasEarlier.value && (
        <button class="earlier" onClick={() => void showEarlier()}>
          Show earlier orders
        </button>
      )}
    </section>
  )
}
