import type { RestaurantOrder } from '@platter/contracts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, stack, asRestaurant } from '../e2e/client.ts'
import { plantAge } from '../e2e/planted.ts'
import {
  aConsole,
  browserProgram,
  button,
  cardIn,
  startBrowser,
  observed,
  place,
  signIn,
  spied,
  streamOf,
  type OwnRestaurant,
} from './console.ts'

let browser: Browser
let own: OwnRestaurant
/** One page for all tests. Each reloads it. */
let page: Page

describe.skipIf(browserProgram() === null)('unstarted orders', () => {
  beforeAll(async () => {
    ;[browser, own] = await Promise.all([startBrowser(), aConsole()])
    ;({ page } = await signIn(browser, own))
  })

  afterAll(() => browser.close())

  test('an order that waits too long is marked late; a cancellation elsewhere shows a note', async () => {
    const order = await place(own)
    const { body } = await asRestaurant<RestaurantOrder>(`order/${order.apiKey}`, undefined, own.key)
    const anHourAgo = { ...body, datePlaced: Math.floor(Date.now() / 1_000) - 3_600 }
    await page.route('**/orders/stream', (route) => route.fulfill(streamOf(anHourAgo)))
    await page.reload()
    const late = cardIn(page, 'New', order).filter({ hasText: 'Late placed 60 min ago' })
    await late.waitFor()
    expect(await late.count()).toBe(1)

    // Then the order is cancelled elsewhere: by the support, or at its deadline.
    const cancelled = { ...anHourAgo, nextStatuses: [], cancellation: notStarted }
    await page.route('**/orders/stream', (route) => route.fulfill(streamOf(cancelled)))
    await cardIn(page, 'Done', order).filter({ hasText: 'Cancelled' }).waitFor()
    expect(await page.locator('.note').innerText()).toBe(
      `Order ${order.id} was cancelled. Do not prepare it. It was not started in time.`,
    )
    await page.unrouteAll()
  })

  test('an unstarted order shows a countdown in its last 7½ minutes, and rings again', async () => {
    await button(page, 'Settings').click()
    await page.getByRole('switch', { name: 'Notifications' }).click()
    const order = await place(own)
    await plantAge(order.apiKey, '7 minutes 10 seconds')
    await page.addInitScript(wrongClock)
    await page.reload()
    const shown = cardIn(page, 'New', order)
    await shown.waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    expect(await shown.innerText()).not.toContain('Start within')
    expect((await spied(page)).strokes).toBe(0)

    await plantAge(order.apiKey, '7 minutes 28 seconds')
    await reconnect()
    const warning = shown.getByText(/^Start within [67]:\d\d, or it is cancelled\.$/)
    await warning.waitFor()
    const rung = await eventually(
      () => spied(page),
      ({ strokes }) => strokes > 0,
    )
    expect(rung.strokes).toBe(4)
    expect(rung.notifications).toEqual([
      expect.stringMatching(new RegExp(`^Order ${order.id} is not started\\. It is cancelled at .+\\.$`)),
    ])
    const before = await warning.innerText()
    await eventually(
      () => warning.innerText(),
      (now) => now !== before,
    )

    // A page that opens later shows the order at once, and does not ring for known orders.
    await page.reload()
    await warning.waitFor()
    expect(await spied(page)).toMatchObject({ strokes: 0, notifications: [] })

    await button(page, `Start preparing order ${order.id}`).click()
    const moved = cardIn(page, 'In preparation', order)
    await moved.waitFor()
    expect(await moved.innerText()).not.toContain('Start within')
  })

  test('an unstarted order rings once more before it is cancelled', async () => {
    const order = await place(own)
    await plantAge(order.apiKey, '11 minutes 40 seconds')
    await page.reload()
    const shown = cardIn(page, 'New', order)
    await shown.locator('.unstarted').waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    expect(await shown.locator('.unstarted.is-urgent').count()).toBe(0)
    await plantAge(order.apiKey, '11 minutes 58 seconds')
    await reconnect()
    await shown.locator('.unstarted.is-urgent').waitFor()
    const { strokes } = await eventually(
      () => spied(page),
      (one) => one.strokes > 0,
    )
    expect(strokes).toBe(4)

    await plantAge(order.apiKey, '15 minutes 1 second')
    await cardIn(page, 'Done', order).filter({ hasText: 'Cancelled' }).waitFor()
    await page.getByText(`Order ${order.id} was cancelled`).waitFor()
  })

  test('no request went to another host, and no script failed', () => {
    expect(observed).toEqual({ origins: new Set([stack().gateway]), faults: [] })
  })
})

/** Makes the page reconnect, as after a lost network. It then receives its open orders again. */
const reconnect = () => page.evaluate(() => window.dispatchEvent(new Event('online')))

/** Runs in the page. The clock of its machine is an hour ahead. */
function wrongClock(): void {
  const { now } = Date
  Date.now = () => now() + 3_600_000
}

const notStarted: NonNullable<RestaurantOrder['cancellation']> = {
  reason: 'order-refused',
  message: 'It was not started in time.',
  cancelledBy: 'system',
  date: 1_700_000_000,
  refund: { amount: 0, state: 'VOIDED' },
}
