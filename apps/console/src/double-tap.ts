type Tap = Pick<MouseEvent, 'timeStamp' | 'clientX' | 'clientY' | 'detail'>

/** Operating systems use 0.5 s as the time between the taps of a double tap. */
const WITHIN_MS = 500
/** The second tap of a finger is up to half a button away. */
const WITHIN_PX = 24

/**
 * Returns a function that returns true for the second tap of a double tap. The first tap has moved the order, so the second one
 * would start the order that has taken its place, or press a button of the dialog that opened there.
 */
export function doubleTaps(): (click: Tap) => boolean {
  let last: Tap = { timeStamp: -Infinity, clientX: 0, clientY: 0, detail: 0 }
  return (click) => {
    // Clicks by the keyboard and by assistive technology have no place, and 0 as `detail`.
    if (click.detail === 0) return false
    const isSecond =
      click.timeStamp - last.timeStamp < WITHIN_MS &&
      Math.hypot(click.clientX - last.clientX, click.clientY - last.clientY) < WITHIN_PX
    last = click
    return isSecond
  }
}
