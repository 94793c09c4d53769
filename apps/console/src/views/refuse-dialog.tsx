import type { RestaurantOrder } from '@platter/contracts'
import { useSignal, type Signal } from '@preact/signals'
import { refuse } from '#/orders.ts'
import { nameOf } from '#/order.ts'
import { reversalOf } from '#/refund.ts'
import { closeDialog, closeDialogAfter, focusOrder } from '#/ui.ts'
import { Dialog } from '#/views/dialog.tsx'

const usual = [
  'We ran out of an ingredient',
  'The kitchen is too busy',
  'We are closing',
  'We cannot deliver there',
]

export function RefuseDialog({ order }: { order: RestaurantOrder }) {
  const reason = useSignal('')
  const verb = reversalOf(order) === 'refuse' ? 'Refuse' : 'Cancel'

  async function submit(event: Event) {
    event.preventDefault()
    if (await closeDialogAfter(refuse(order, reason.value.trim()))) focusOrder(order.apiKey)
  }

  return (
    <Dialog title={`${verb} order ${order.id}?`}>
      <form onSubmit={(event) => void submit(event)}>
        <p>
          {nameOf(order)} receives the reason{order.payment === 'card' && ' and a refund'}. You cannot reverse
          this.
        </p>
        <UsualReasons reason={reason} />
        <label htmlFor="reason">Reason, for the customer</label>
        <textarea
          id="reason"
          rows={2}
          maxLength={500}
          required
          value={reason.value}
          // `required` accepts blanks.
          onInput={({ currentTarget: area }) => (reason.value = area.value = area.value.trimStart())}
        />
        <div class="options">
          <button type="button" onClick={closeDialog}>
            Keep the order
          </button>
          <button type="submit" class="danger">
            {verb} the order
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function UsualReasons({ reason }: { reason: Signal<string> }) {
  return (
    <div class="options" role="group" aria-label="Usual reasons">
      {usual.map((words) => (
        <button
          type="button"
          key={words}
          aria-pressed={reason.value === words}
          onClick={() => (reason.value = words)}
        >
          {words}
        </button>
      ))}
    </div>
  )
}
