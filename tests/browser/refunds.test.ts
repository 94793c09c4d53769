import type { RestaurantOrder } from '@platter/contracts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asRestaurant } from '../e2e/client.ts'
import {
  aConsole,
  axe,
  axeEverywhere,
  browserProgram,
  button,
  cardIn,
  startBrowser,
  observed,
  place,
  signIn,
  streamOf,
  toSalina,
  type Counter,
  type OwnRestaurant,
} from './console.ts'

let browser: Browser
let own: OwnRestaurant
let counter: Counter

/** Shows an order with these members. They are in the only event stream of the page. */
async function show(page: Page, members: object): Promise<RestaurantOrder> {
  const { body } = await asRestaurant<RestaurantOrder>(
    `order/${(await place(own, toSalina)).apiKey}`,
    undefined,
    own.key,
  )
  const order: RestaurantOrder = { ...body, payment: 'card', toCollect: 0, ...members }
  await page.route('**/orders/stream', (route) => route.fulfill(streamOf(order)))
  await page.reload()
  return order
}

const aRefund = { reason: 'LATE', requestedBy: 'restaurant', borneBy: 'restaurant', date: 1_795_200_000 }

// tests/e2e tests the gateway. Here the page receives responses for amounts and states that are hard to cause.
describe.skipIf(browserProgram() === null)('refunds of a restaurant', () => {
  beforeAll(async () => {
    ;[browser, own] = await Promise.all([startBrowser(), aConsole()])
    counter = await signIn(browser, own)
  })
  afterAll(() => browser.close())

  test('a tap on an item shows the amount of its refund; only the confirmation refunds it', async () => {
    const { page } = counter
    const { id } = await show(page, { status: 'PREPARING', nextStatuses: ['DELIVERED'], refunds: [] })
    const sent: unknown[] = []
    const attempts: (string | undefined)[] = []
    await page.route('**/refunds?validate-only=true', (route) => {
      sent.push(route.request().postDataJSON())
      return route.fulfill({ json: { amount: 12.96 } })
    })
    // The first response is lost.
    await page.route('**/refunds', (route) => {
      attempts.push(route.request().headers()['idempotency-key'])
      if (attempts.length === 1) return route.abort()
      sent.push(route.request().postDataJSON())
      return route.fulfill({ json: { amount: 12.96 } })
    })
    await button(page, `Refund … order ${id}`).click()
    await button(page, 'Missing Pan-fried Dumplings, item 2').click()
    await page.getByText('Maria Lindqvist gets 12.96 of').waitFor()
    expect(sent).toEqual([{ items: [{ index: 1 }], reason: 'OTHER' }])
    expect(await axeEverywhere(page, 'refund')).toEqual([])
    await button(page, 'Refund 12.96').click()
    await page.getByText(`No response for order ${id}`).waitFor()
    // By keyboard: a second click at once would belong to a double tap.
    await button(page, 'Refund 12.96').press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(sent.slice(1)).toEqual([{ items: [{ index: 1 }], reason: 'MISSING_ITEM' }])
    expect(attempts).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), attempts[0]])
  })

  test('a delivered order shows its refunds, a failed one included, and offers a refund', async () => {
    const { page } = counter
    const order = await show(page, {
      status: 'DELIVERED',
      nextStatuses: [],
      refunds: [
        { ...aRefund, apiKey: '1', amount: 4.5, state: 'DONE' },
        { ...aRefund, apiKey: '2', amount: 1, state: 'PENDING' },
        { ...aRefund, apiKey: '3', amount: 2, state: 'FAILED' },
      ],
      refundedTotal: 4.5,
    })
    const shown = cardIn(page, 'Done', order)
    await page.setViewportSize({ width: 1024, height: 768 })
    await shown.locator('summary').click()
    expect(await shown.innerText()).toMatch(
      /Refunded 5\.50 of 38\.60, 1\.00 of it in progress[^]*A refund of 2\.00 failed/,
    )
    await button(page, `Refund … order ${order.id}`).waitFor()
    expect(await axe(page)).toEqual([])
    expect(observed.faults).toEqual([])
  })
})
