import { formatMinutes } from '#/order.ts'
import { pause } from '#/restaurant.ts'
import { closeDialogAfter } from '#/ui.ts'
import { Dialog } from '#/views/dialog.tsx'

const choices = [10, 20, 30, 45, 60, 120]

export function PauseDialog() {
  return (
    <Dialog title="Pause new orders">
      <p>Customers cannot order during the pause. It does not change the orders on the board.</p>
      <div class="options">
        {choices.map((minutes) => (
          <button key={minutes} onClick={() => void closeDialogAfter(pause(minutes))}>
            {formatMinutes(minutes)}
          </button>
        ))}
      </div>
    </Dialog>
  )
}
