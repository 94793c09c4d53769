import { notes, putAway } from '#/notes.ts'
import { Close } from '#/views/icons.tsx'

export function Notes() {
  return (
    <div class="notes" role="status">
      {notes.value.map(({ id, tone, text }) => (
        <div class={`note is-${tone}`} key={id}>
          <p>{text}</p>
          <button class="bare" onClick={() => putAway(id)} aria-label="Put away">
            <Close />
          </button>
        </div>
      ))}
    </div>
  )
}
