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
  const isMissing = useSignal(false)
  const verb = reversalOf(order) === 'refuse' ? 'Refuse' : 'Cancel'

  async function submit(event: Event) {
    event.preventDefault()
    const words = reason.value.trim()
    isMissing.value = words === ''
    if (isMissing.value) {
      document.getElementById('reason')?.focus()
      return
    }
    if (await closeDialogAfter(refuse(order, words))) focusOrder(order.apiKey)
  }

  return (
    <Dialog title={`${verb} order ${order.id}?`}>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <p>
          {nameOf(order)} receives the reason{order.payment === 'card' && ' and a refund'}. You cannot reverse
          this.
        </p>
        <UsualReasons reason={reason} />
        <Reason reason={reason} isMissing={isMissing.value} />
        <div class="buttons">
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

function Reason({ reason, isMissing }: { reason: Signal<string>; isMissing: boolean }) {
  return (
    <>
      <label htmlFor="reason">Reason, for the customer</label>
      <textarea
        id="reason"
        rows={2}
        maxLength={500}
        value={reason.value}
        onInput={({ currentTarget }) => (reason.value = currentTarget.value)}
        aria-invalid={isMissing}
        aria-describedby="reason-missing"
      />
      <p id="reason-missing" class="error">
        {isMissing && 'Enter a reason. The customer will read it.'}
      </p>
    </>
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
