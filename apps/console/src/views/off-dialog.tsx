import { useSignal } from '@preact/signals'
import { nextTime, now } from '#/clock.ts'
import { setAvailability, type Entry } from '#/menu.ts'
import { closeDialogAfter } from '#/ui.ts'
import { Dialog } from '#/views/dialog.tsx'

const HOUR = 3_600

export function OffDialog({ entry }: { entry: Entry }) {
  const time = useSignal('')
  const off = (until: number | null) => closeDialogAfter(setAvailability(entry, { available: false, until }))
  return (
    <Dialog title={`Switch ${entry.name} off`}>
      <p>Customers cannot order it{entry.of && ` with ${entry.of}`}, from now on.</p>
      <div class="options">
        <button onClick={() => void off(null)}>Until I switch it on</button>
        <button onClick={() => void off(inHours(1))}>For 1 hour</button>
        <button onClick={() => void off(inHours(2))}>For 2 hours</button>
        <button onClick={() => void off(inHours(24))}>For 24 hours</button>
      </div>
      <form
        class="until row"
        onSubmit={(event) => {
          event.preventDefault()
          void off(nextTime(time.value))
        }}
      >
        <label htmlFor="until">Until</label>
        <input
          id="until"
          type="time"
          required
          value={time.value}
          onInput={({ currentTarget }) => (time.value = currentTarget.value)}
        />
        <button type="submit">Switch off until then</button>
      </form>
    </Dialog>
  )
}

const inHours = (hours: number): number => Math.round(now.value / 1_000) + hours * HOUR
