import type { OrderStatusRecord } from '@platter/contracts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { card, eventually, ledgerOf, post, readOrder, stack, statusesOf, report } from '../e2e/client.ts'
import { Stream } from '../support/event-stream.ts'
import {
  aConsole,
  browserProgram,
  button,
  cardIn,
  startBrowser,
  endTimers,
  observed,
  place,
  signIn,
  spied,
  toSalina,
  type Counter,
  type OwnRestaurant,
} from './console.ts'

let browser: Browser
let own: OwnRestaurant
/** The screen of most tests. Tests that need another screen open it. */
let counter: Counter

const openCounter = (of = own) => signIn(browser, of)

/** A client that reads the event stream of an order. */
const clientOf = ({ apiKey }: { apiKey: string }) =>
  Stream.open(`${stack().gateway}/publicapi/v1/order/${apiKey}/statuses`, { key: stack().accessKey })

/** Waits until the client has received the status. */
const waitForStatus = (client: Stream, status: string) =>
  client.until(({ event, data }) => event === 'status' && (data as OrderStatusRecord).status === status)

describe.skipIf(browserProgram() === null)('the orders of a restaurant', () => {
  beforeAll(async () => {
    ;[browser, own] = await Promise.all([startBrowser(), aConsole()])
    counter = await openCounter()
    const { page } = counter
    await button(page, 'Settings').click()
    await page.getByRole('switch', { name: 'Notifications' }).click()
    await button(page, 'Close').click()
  })

  afterAll(() => browser.close())

  // The delay: services/orders/src/reading/feeds.stack.test.ts, "an event wakes its subscribers at once". The page itself reads no
  // orders here.
  test('a new order appears without a reload, with sound and notification', async () => {
    const { page } = counter
    const order = await place(own, { comments: 'ring twice' })
    const shown = cardIn(page, 'New', order)
    await shown.waitFor()
    expect(await shown.innerText()).toMatch(
      inThisOrder(
        'Pickup',
        '1 times Lentil Soup',
        '2 times Pan-fried Dumplings',
        'Chili crisp',
        'extra crispy',
        'ring twice',
        'Maria Lindqvist',
        `Collect cash ${order.total.toFixed(2)}`,
      ),
    )
    expect(await spied(page)).toMatchObject({
      strokes: 4,
      notifications: [`New order ${order.id}, Maria Lindqvist`],
    })
    expect(await page.title()).toBe('(1) Orders · Nine Lanterns')
  })

  test('a new order is silent while sound and notifications are off, also after a reload', async () => {
    const { page } = await openCounter()
    await page.getByRole('switch', { name: 'Sound' }).click()
    await page.reload()
    await page.getByRole('switch', { name: 'Sound', checked: false }).waitFor()
    await page.getByText('Ready or on the way').waitFor()
    await cardIn(page, 'New', await place(own)).waitFor()
    expect(await spied(page)).toMatchObject({ strokes: 0, notifications: [] })
    await page.context().close()
  })

  test('a pickup order needs one tap a step, and the client receives each status', async () => {
    const { page } = counter
    const order = await place(own)
    const client = await clientOf(order)
    await button(page, `Start preparing order ${order.id}`).click()
    await waitForStatus(client, 'PREPARING')
    await button(page, `Ready for pickup order ${order.id}`).click()
    await waitForStatus(client, 'READY_FOR_PICKUP')
    await button(page, `Handed over order ${order.id}`).click()
    await waitForStatus(client, 'DELIVERED')
    expect(await cardIn(page, 'Done', order).innerText()).toContain('Handed over')
  })

  test('a delivery order needs one tap a step, and the client receives each status', async () => {
    const { page } = counter
    const order = await place(own, toSalina)
    const client = await clientOf(order)
    await cardIn(page, 'New', order).filter({ hasText: '147 N Santa Fe Ave' }).waitFor()
    await button(page, `Start preparing order ${order.id}`).click()
    await waitForStatus(client, 'PREPARING')
    await button(page, `Out for delivery order ${order.id}`).click()
    await waitForStatus(client, 'OUT_FOR_DELIVERY')
    await button(page, `Delivered order ${order.id}`).click()
    await waitForStatus(client, 'DELIVERED')
    expect(await cardIn(page, 'Done', order).innerText()).toContain('Delivered')
  })

  test('a delivery order of a restaurant with coarse statuses needs two taps', async () => {
    const coarse = await aConsole('coarse')
    const { page } = await openCounter(coarse)
    const order = await place(coarse, toSalina)
    await button(page, `Start preparing order ${order.id}`).click()
    await button(page, `Delivered order ${order.id}`).click()
    await cardIn(page, 'Done', order).waitFor()
    expect(await statusesOf(order.apiKey)).toEqual([
      'PROCESSING',
      'AWAITING_PREPARATION',
      'PREPARING_AND_DELIVERING',
      'DELIVERED',
    ])
    await page.context().close()
  })

  test('refusing needs a reason, and refunds the order', async () => {
    const { page } = counter
    const order = await place(own, { payment: 'card', card: card() })
    await eventually(
      () => readOrder(order.apiKey),
      ({ paymentState }) => paymentState === 'CHARGED',
    )
    await button(page, `Refuse … order ${order.id}`).click()
    await page.getByLabel('Reason, for the customer').fill('  ')
    await button(page, 'Refuse the order').click()
    await page.locator('textarea:invalid:focus').waitFor()
    await button(page, 'We ran out of an ingredient').click()
    await button(page, 'Refuse the order').click()
    await cardIn(page, 'Done', order).filter({ hasText: 'Refused' }).waitFor()
    const { cancellation } = await eventually(
      () => readOrder(order.apiKey),
      ({ paymentState }) => paymentState === 'REFUNDED',
    )
    expect(cancellation).toMatchObject({
      cancelledBy: 'restaurant',
      message: expect.stringContaining('We ran out of an ingredient') as string,
      refund: { amount: order.total, state: 'REFUNDED' },
    })
    expect((await ledgerOf(order.apiKey)).map(({ kind }) => kind)).toEqual(['authorize', 'capture', 'refund'])
  })

  test('a button shows the earlier completed orders of a busy day', async () => {
    const { page } = await openCounter()
    const completed = { ...(await place(own)), status: 'DELIVERED', nextStatuses: [] }
    const earlier = Array.from({ length: 60 }, (_, at) => ({
      ...completed,
      apiKey: `earlier-${at}`,
      id: 60 - at,
    }))
    await page.route('**/orders?limit=*', (route) => {
      const limit = Number(new URL(route.request().url()).searchParams.get('limit'))
      return route.fulfill({ json: limit < 200 ? earlier.slice(0, 50) : earlier })
    })
    await page.reload()
    await cardIn(page, 'Done', { apiKey: 'earlier-49' }).waitFor()
    expect(await cardIn(page, 'Done', { apiKey: 'earlier-50' }).count()).toBe(0)
    await button(page, 'Show earlier orders').click()
    await cardIn(page, 'Done', { apiKey: 'earlier-59' }).waitFor()
    expect(await button(page, 'Show earlier orders').count()).toBe(0)
    await page.context().close()
  })

  test('two screens show the same status, and the slower screen shows a note', async () => {
    const { page } = counter
    const { page: slower } = await openCounter()
    const order = await place(own)
    await button(page, `Start preparing order ${order.id}`).click()
    await cardIn(slower, 'In preparation', order).waitFor()
    // Another screen reports between the tap and the arrival of its request.
    await slower.route('**/status', async (route) => {
      await report(order.apiKey, 'DELIVERED', own.key)
      await route.continue()
    })
    await button(slower, `Ready for pickup order ${order.id}`).click()
    await slower.getByText(`Order ${order.id} was changed elsewhere: it is handed over now.`).waitFor()
    await cardIn(slower, 'Done', order).waitFor()
    await cardIn(page, 'Done', order).waitFor()
    expect(await page.locator(`#order-${order.apiKey}`).count()).toBe(1)
    await slower.context().close()
  })

  test('an offline page shows an alert and sends no report; online it reports attendance at once and updates without a reload', async () => {
    const { page, context } = counter
    const before = await place(own)
    const ended = await place(own)
    await cardIn(page, 'New', ended).waitFor()
    const { notifications } = await spied(page)
    await context.setOffline(true)
    await page
      .getByRole('alert')
      .filter({ hasText: /Offline since \d/ })
      .waitFor()
    await button(page, `Start preparing order ${before.id}`).click()
    await page.getByText(`You are offline. Nothing was sent for order ${before.id}`).waitFor()
    await report(ended.apiKey, 'PREPARING', own.key)
    await report(ended.apiKey, 'DELIVERED', own.key)
    const meanwhile = await place(own)
    // Without this line, the page would report attendance every 15 seconds.
    await endTimers(page)
    const reportsAttendance = page.waitForRequest('**/restaurantapi/v1/attendance')
    await context.setOffline(false)
    await reportsAttendance
    await cardIn(page, 'New', meanwhile).waitFor()
    await cardIn(page, 'Done', ended).waitFor()
    expect(await page.getByText('Offline since').count()).toBe(0)
    for (const { apiKey } of [before, ended, meanwhile])
      expect(await page.locator(`#order-${apiKey}`).count()).toBe(1)
    expect(await statusesOf(before.apiKey)).toEqual(['PROCESSING', 'AWAITING_PREPARATION'])
    expect((await spied(page)).notifications).toEqual([
      ...notifications,
      `New order ${meanwhile.id}, Maria Lindqvist`,
    ])
    await page.reload()
  })

  test('a stream that died without a notice is opened again after two minutes, and shows the orders in between', async () => {
    const { page } = await openCounter()
    await page.addInitScript(breakableStreams)
    await page.reload()
    await cardIn(page, 'New', await place(own)).waitFor()
    await page.evaluate(() => (globalThis as unknown as { breakStreams: () => void }).breakStreams())
    const order = await place(own)
    await page.evaluate(() => {
      const { now } = Date
      Date.now = () => now() + 120_000
    })
    await cardIn(page, 'New', order).waitFor()
    expect(await page.locator(`#order-${order.apiKey}`).count()).toBe(1)
    await page.context().close()
  })

  test('a failing stream is retried with growing delays; meanwhile the page reports no attendance', async () => {
    const { page } = await openCounter()
    const attempts: number[] = []
    const reports: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/attendance')) reports.push(request.url())
    })
    await page.route('**/orders/stream', (route) => {
      attempts.push(performance.now())
      return route.fulfill({ status: 503 })
    })
    await page.reload()
    const [first = 0, , , fourth = 0] = await eventually(
      async () => attempts,
      ({ length }) => length >= 4,
    )
    // The delays are 0.5, 1 and 2 s.
    expect(fourth - first).toBeGreaterThan(3_000)
    await page
      .getByRole('alert')
      .filter({ hasText: /Offline since \d/ })
      .waitFor()
    reports.length = 0
    await page.waitForResponse('**/restaurantapi/v1/restaurant')
    expect(reports, 'the page says that customers cannot order').toEqual([])
    await page.context().close()
  })

  test('a cancellation by the customer shows a note and a notification with its origin', async () => {
    const { page } = counter
    const order = await place(own)
    await cardIn(page, 'New', order).waitFor()
    await post(`order/${order.apiKey}/cancel`, {})
    await cardIn(page, 'Done', order).filter({ hasText: 'Cancelled by the customer' }).waitFor()
    const text = `Order ${order.id} was cancelled by the customer. Do not prepare it.`
    expect(await page.locator('.note').innerText()).toBe(text)
    // Two events within 1.5 s ring only once.
    expect((await spied(page)).notifications).toContain(text)
  })

  test('the first tap on a page works, and enables the sound', async () => {
    const { page } = counter
    const order = await place(own)
    await page.reload()
    const soundBanner = page.getByText('The sound is blocked')
    await soundBanner.waitFor()
    // The banner disappears as soon as sound is allowed, and the content below it moves up.
    await button(page, `Start preparing order ${order.id}`).click()
    await cardIn(page, 'In preparation', order).waitFor()
    await soundBanner.waitFor({ state: 'detached' })
    expect(await statusesOf(order.apiKey)).toEqual(['PROCESSING', 'AWAITING_PREPARATION', 'PREPARING'])
  })

  test('a page whose sound the device takes away shows a note, until the next tap', async () => {
    const { page } = counter
    const soundBanner = page.getByText('The sound is blocked')
    await page.addInitScript(rememberAudio)
    await page.reload()
    const title = page.getByRole('heading', { level: 1 })
    await title.click()
    await soundBanner.waitFor({ state: 'detached' })
    await page.evaluate(() => (globalThis as unknown as { audio: AudioContext }).audio.suspend())
    await soundBanner.waitFor()
    await title.click()
    await soundBanner.waitFor({ state: 'detached' })
    expect(await soundBanner.count()).toBe(0)
  })

  test('only the ticket is printed', async () => {
    const { page } = counter
    const { id } = await place(own, { ...toSalina, comments: 'ring twice\nsecond floor' })
    await button(page, `Print order ${id}`).click()
    await eventually(
      () => spied(page),
      ({ printed }) => printed === 1,
    )
    await page.emulateMedia({ media: 'print' })
    const paper = await page.locator('body').innerText()
    await page.emulateMedia({ media: null })
    expect(paper).toMatch(
      inThisOrder(
        `DELIVERY ${id}`,
        '1 × Lentil Soup',
        '2 × Pan-fried Dumplings',
        'Chili crisp',
        '“extra crispy”',
        '“ring twice\nsecond floor”',
        'COLLECT CASH',
        'Salina, KS 67401',
      ),
    )
    expect(paper).not.toMatch(/Settings|Start preparing|In preparation/)
  })

  test('the ticket of a delivered cash order collects nothing again', async () => {
    const { page } = counter
    const order = await place(own)
    for (const status of ['PREPARING', 'DELIVERED']) await report(order.apiKey, status, own.key)
    const done = cardIn(page, 'Done', order)
    await done.click()
    await button(page, `Print order ${order.id}`).click()
    await page.emulateMedia({ media: 'print' })
    const paper = await page.locator('body').innerText()
    await page.emulateMedia({ media: null })
    expect(paper).toMatch(inThisOrder(`PICKUP ${order.id}`, 'Paid in cash'))
    expect(paper).not.toContain('COLLECT CASH')
  })

  test('a double tap changes one order, and not the order that takes its place', async () => {
    const of = await aConsole()
    const { page } = await openCounter(of)
    // Each click then follows the previous one within the time of a double tap, even on a slow machine.
    await page.addInitScript(() => Object.defineProperty(Event.prototype, 'timeStamp', { get: () => 0 }))
    await page.reload()
    const [first, second] = [await place(of), await place(of)]
    await cardIn(page, 'New', second).waitFor()
    // The banner about the sound disappears at the first tap.
    await page.getByRole('heading', { level: 1 }).click()
    await page.getByText('The sound is blocked').waitFor({ state: 'detached' })
    const { x, y, width, height } = (await button(page, `Start preparing order ${first.id}`).boundingBox())!
    const tap = () => page.mouse.click(x + width / 2, y + height / 2)
    await tap()
    await cardIn(page, 'In preparation', first).waitFor()
    const placeOfFirst = await button(page, `Start preparing order ${second.id}`).boundingBox()
    expect(placeOfFirst).toMatchObject({ x, y })
    await tap()
    // A keyboard has no double taps.
    await button(page, `Ready for pickup order ${first.id}`).press('Enter')
    await cardIn(page, 'Ready or on the way', first).waitFor()
    expect(await statusesOf(second.apiKey)).toEqual(['PROCESSING', 'AWAITING_PREPARATION'])
    await page.context().close()
  })

  test('the keyboard focus moves with the order to its next column', async () => {
    const { page } = counter
    const order = await place(own)
    await cardIn(page, 'New', order).focus()
    // Skips the telephone number.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const moved = cardIn(page, 'In preparation', order)
    await moved.waitFor()
    const hasFocus = () => moved.evaluate((element) => element === document.activeElement)
    expect(await eventually(hasFocus, (isFocused) => isFocused)).toBe(true)
  })

  test('no request went to another host, and no script failed', () => {
    expect(observed).toEqual({ origins: new Set([stack().gateway]), faults: [] })
  })
})

/** Runs in the page. `breakStreams` silences all streams so far, like a router that lost their connections. */
function breakableStreams(): void {
  const streams: EventSource[] = []
  const broken = new WeakSet<EventSource>()
  globalThis.EventSource = class extends EventSource {
    constructor(url: string | URL) {
      super(url)
      streams.push(this)
      for (const type of ['order', 'ready', 'error'])
        this.addEventListener(type, (event) => {
          if (broken.has(this)) event.stopImmediatePropagation()
        })
    }
  }
  Object.assign(globalThis, { breakStreams: () => streams.forEach((stream) => broken.add(stream)) })
}

/** Runs in the page. `audio` is the audio context of the page. */
function rememberAudio(): void {
  globalThis.AudioContext = class extends AudioContext {
    constructor(options?: AudioContextOptions) {
      super(options)
      Object.assign(globalThis, { audio: this })
    }
  }
}

/** Matches text with these words in this order, with any text between them. */
const inThisOrder = (...words: string[]): RegExp =>
  new RegExp(
    words
      .map((one) => one.replaceAll(/[.×“”]/g, '.').replaceAll(' ', String.raw`\s+`))
      .join(String.raw`[\s\S]*?`),
  )
