import { useEffect, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { dialog } from '#/ui.ts'
import { Close } from '#/views/icons.tsx'
import { Notes } from '#/views/note-list.tsx'

type Props = { title: string; children: (close: () => void) => ComponentChildren }

/** The dialog element of the browser traps the focus, closes with Escape and restores the focus. */
export function Dialog({ title, children }: Props) {
  const own = useRef<HTMLDialogElement>(null)
  useEffect(() => own.current?.showModal(), [])
  const close = () => own.current?.close()
  return (
    <dialog class="panel" ref={own} aria-labelledby="dialog-title" onClose={() => (dialog.value = null)}>
      <header class="row">
        <h2 id="dialog-title">{title}</h2>
        <button class="bare" onClick={close} aria-label="Close">
          <Close />
        </button>
      </header>
      {children(close)}
      <Notes />
    </dialog>
  )
}
