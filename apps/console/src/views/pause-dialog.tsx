import { inWords } from '#/order.ts'
import { pause } from '#/restaurant.ts'
import { Dialog } from '#/views/dialog.tsx'

const choices = [10, 20, 30, 45, 60, 120]

export function PauseDialog() {
  return (
    <Dialog title="Pause new orders">
      {(close) => (
        <>
          <p>Customers cannot order for a while. Orders that are here stay here.</p>
          <div class="choices-of-time">
            {choices.map((minutes) => (
              <button key={minutes} onClick={() => void pause(minutes).then((isDone) => isDone && close())}>
                {inWords(minutes)}
              </button>
            ))}
          </div>
        </>
      )}
    </Dialog>
  )
}
