import { dismiss, notes } from '#/notes.ts'
import { Close } from '#/views/icons.tsx'

export function Notes() {
  return (
    <div class="notes" role="status">
      {notes.value.map(({ id, tone, text }) => (
        <div class={`note row is-${tone}`} key={id}>
          <p>{text}</p>
          <button class="bare" onClick={() => dismiss(id)} aria-label="Dismiss">
            <Close />
          </button>
        </div>
      ))}
    </div>
  )
}
