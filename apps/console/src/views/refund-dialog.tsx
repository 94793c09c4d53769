import type { RefundReason, RestaurantOrder } from '@platter/contracts'
import { useComputed, useSignal, type Signal } from '@preact/signals'
import { money, nameOf } from '#/order.ts'
import { pending, refund } from '#/orders.ts'
import { NOTHING, partsOf, reasonLabels, reasonOf, type Selection } from '#/refund.ts'
import { closeDialog, closeDialogAfter, dialog, focusOrder } from '#/ui.ts'
import { Dialog } from '#/views/dialog.tsx'
import { RefundParts } from '#/views/refund-parts.tsx'
import { RefuseDialog } from '#/views/refuse-dialog.tsx'
import { usePreview, type Preview } from '#/views/refund-preview.ts'

export function RefundDialog({ order }: { order: RestaurantOrder }) {
  const selection = useSignal(NOTHING)
  const parts = useComputed(() => JSON.stringify(partsOf(selection.value)))
  const preview = usePreview(order, parts)

  async function submit(event: Event) {
    event.preventDefault()
    const reason = reasonOf(selection.value)
    const chosen = partsOf(selection.value)
    if (reason === null || chosen === null || preview.value.state !== 'ready') return
    const message = selection.value.message.trim()
    const refunding = refund(order, { ...chosen, reason, ...(message !== '' && { message }) })
    if (await closeDialogAfter(refunding)) focusOrder(order.apiKey)
  }

  return (
    <Dialog title={`Refund order ${order.id}`}>
      <form onSubmit={(event) => void submit(event)}>
        <RefundParts order={order} selection={selection} />
        <Reason selection={selection} />
        <Outcome order={order} preview={preview.value} />
        <div class="options">
          <button type="button" onClick={closeDialog}>
            Refund nothing
          </button>
          <Confirm preview={preview.value} isPending={pending.value.has(order.apiKey)} />
        </div>
        {order.status !== 'DELIVERED' && (
          <button type="button" onClick={() => (dialog.value = <RefuseDialog order={order} />)}>
            Cancel the whole order …
          </button>
        )}
      </form>
    </Dialog>
  )
}

function Reason({ selection }: { selection: Signal<Selection> }) {
  const { value } = selection
  return (
    <>
      <label htmlFor="refund-reason">Reason, for the customer</label>
      <select
        id="refund-reason"
        required
        value={reasonOf(value) ?? ''}
        onChange={({ currentTarget }) =>
          (selection.value = { ...value, reason: currentTarget.value as RefundReason })
        }
      >
        <option value="" disabled>
          Choose a reason
        </option>
        {Object.entries(reasonLabels).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      <label htmlFor="refund-message">Message for the customer, if you like</label>
      <textarea
        id="refund-message"
        rows={2}
        maxLength={500}
        value={value.message}
        onInput={({ currentTarget }) => (selection.value = { ...value, message: currentTarget.value })}
      />
    </>
  )
}

/** The amount that the customer receives, before the restaurant confirms. The live region always exists. */
function Outcome({ order, preview }: { order: RestaurantOrder; preview: Preview }) {
  return (
    <p class={preview.state === 'refused' ? 'outcome error' : 'outcome'} role="status">
      {preview.state === 'none' && 'Choose what to refund.'}
      {preview.state === 'waiting' && 'Computing the refund …'}
      {preview.state === 'refused' && preview.message}
      {preview.state === 'ready' && (
        <>
          {nameOf(order)} gets <strong>{money(preview.amount)}</strong> of {money(order.total)}{' '}
          {order.payment === 'cash' ? 'in cash, from you' : 'on the card'}.
        </>
      )}
    </p>
  )
}

function Confirm({ preview, isPending }: { preview: Preview; isPending: boolean }) {
  return (
    <button type="submit" class="danger" aria-disabled={isPending || preview.state !== 'ready'}>
      {preview.state === 'ready' ? `Refund ${money(preview.amount)}` : 'Refund'}
    </button>
  )
}
