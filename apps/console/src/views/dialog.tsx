import type { ComponentChildren } from 'preact'
import { closeDialog, dialog } from '#/ui.ts'
import { Close } from '#/views/icons.tsx'
import { Notes } from '#/views/note-list.tsx'

type Props = { title: string; children: ComponentChildren }

const open = (element: HTMLDialogElement | null) => element?.showModal()

/** The dialog element of the browser traps the focus, closes with Escape and restores the focus. */
export function Dialog({ title, children }: Props) {
  return (
    <dialog class="panel" ref={open} aria-labelledby="dialog-title" onClose={() => (dialog.value = null)}>
      <header class="spread">
        <h2 id="dialog-title">{title}</h2>
        <button class="bare" onClick={closeDialog} aria-label="Close">
          <Close />
        </button>
      </header>
      {children}
      <Notes />
    </dialog>
  )
}
