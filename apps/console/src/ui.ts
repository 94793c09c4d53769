import type { RestaurantOrder } from '@platter/contracts'
import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Column } from '#/order.ts'

/* The state of the page that exists only in this browser. */

export type View = 'orders' | 'menu'

const viewOfHash = (): View => (location.hash === '#menu' ? 'menu' : 'orders')
export const view = signal<View>(viewOfHash())
window.addEventListener('hashchange', () => {
  view.value = viewOfHash()
})

/** The visible column on a screen with space for only one column. */
export const shownColumn = signal<Column>('new')

/** The open dialog, rendered in the frame of views/dialog.tsx; null without one. */
export const dialog = signal<VNode | null>(null)

/** The event `close` of the element then removes it. */
export const closeDialog = (): void => document.querySelector('dialog')?.close()

/** Closes the dialog when the work has succeeded, and returns whether it has. Another dialog, opened meanwhile, stays open. */
export async function closeDialogAfter(work: Promise<boolean>): Promise<boolean> {
  const own = dialog.value
  const isDone = await work
  if (isDone && dialog.value === own) closeDialog()
  return isDone
}

/** The order whose ticket is being printed. */
export const ticket = signal<RestaurantOrder | null>(null)

window.addEventListener('afterprint', () => {
  ticket.value = null
})

export const cardId = (apiKey: string): string => `order-${apiKey}`

/** Moves the keyboard focus to a moved order, or to the column picker if the order is not visible. */
export function focusOrder(apiKey: string): void {
  requestAnimationFrame(() => {
    const card = document.getElementById(cardId(apiKey))
    card?.focus()
    if (document.activeElement === card) return
    document.querySelector<HTMLElement>('.picker [aria-pressed="true"]')?.focus()
  })
}
