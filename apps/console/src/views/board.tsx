import { connection } from '#/connection.ts'
import { board } from '#/orders.ts'
import { columns, columnTitles, type Column } from '#/order.ts'
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
          <span class="number">{board.value[column].length}</span> {shortTitles[column]}
        </button>
      ))}
    </div>
  )
}

const shortTitles: Readonly<Record<Column, string>> = {
  new: 'New',
  preparing: 'Preparing',
  ready: 'Ready',
  done: 'Done',
}

const emptyTexts: Readonly<Record<Column, string>> = {
  new: 'No new orders. New orders appear here automatically.',
  preparing: 'No orders in preparation.',
  ready: 'No orders to hand over.',
  done: 'No completed orders yet.',
}

function BoardColumn({ column }: { column: Column }) {
  const orders = board.value[column]
  const shown = shownColumn.value === column ? 'is-shown' : ''
  return (
    <section class={`column of-${column} ${shown}`} aria-labelledby={`title-${column}`}>
      <h2 class="row" id={`title-${column}`}>
        {columnTitles[column]} <span class="number quiet">{orders.length}</span>
      </h2>
      {orders.length === 0 ? (
        <p class="nothing">{emptyTexts[column]}</p>
      ) : (
        <ul class="cards">
          {orders.map((order) => (
            <li key={order.apiKey}>
              {column === 'done' ? <DoneOrder order={order} /> : <OrderCard order={order} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
