import type { MenuCategory } from '@platter/contracts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, eventually, get, maria, stack } from '../e2e/client.ts'
import { plant } from '../e2e/planted.ts'
import {
  aConsole,
  browserProgram,
  button,
  startBrowser,
  endTimers,
  observed,
  open,
  signIn,
  spied,
  type Counter,
  type OwnRestaurant,
} from './console.ts'

let browser: Browser
let own: OwnRestaurant
let counter: Counter

/** Validates an order of one item. Returns `possible` or the code of the problem. */
async function validateOrder(
  apiKey: string,
  customizationChoices: { apiKey: string }[] = [],
): Promise<string> {
  const { status, body } = await call<{ code: string }>('/publicapi/v1/validate-order', {
    body: {
      restaurantApiKey: own.apiKey,
      items: [{ apiKey, customizationChoices }],
      method: 'pickup',
      payment: 'cash',
      recipient: maria,
    },
  })
  return status === 200 ? 'possible' : body.code
}

/** Polls until the result matches. Returns the last result. */
const pollUntil = (read: () => Promise<string>, expected: string): Promise<string> =>
  eventually(read, (result) => result === expected)

/** Makes the page read its restaurant now, as after it becomes visible again. Waits until the read has ended. */
async function readAgain(page: Page): Promise<void> {
  const response = page.waitForResponse('**/restaurantapi/v1/restaurant')
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await (await response).finished()
  await page.evaluate(() => new Promise(requestAnimationFrame))
}

/** Delays the next response of this URL until the returned function is called. */
async function holdResponse(page: Page, url: string): Promise<() => void> {
  const release = Promise.withResolvers<void>()
  await page.route(
    url,
    async (route) => {
      const response = await route.fetch()
      await release.promise
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  return release.resolve
}

const OPEN = 'Customers can order: yes'
const PAUSED = 'Customers can order: no. Paused until'

/** Records the states of the restaurant that the page shows from now on, one entry for each change. */
async function statesOf(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const states: string[] = []
    const recordState = () => {
      const state = document.querySelector('.ordering p')?.textContent.replace(/ \d.*/, '') ?? 'nothing'
      if (states.at(-1) !== state) states.push(state)
    }
    recordState()
    const changes = { subtree: true, childList: true, characterData: true }
    new MutationObserver(recordState).observe(document.body, changes)
    Object.assign(globalThis, { states })
  })
  return () => page.evaluate(() => (globalThis as unknown as { states: string[] }).states)
}

describe.skipIf(browserProgram() === null)('console at the counter', () => {
  beforeAll(async () => {
    ;[browser, own] = await Promise.all([startBrowser(), aConsole()])
    counter = await signIn(browser, own)
  })

  afterAll(() => browser.close())

  test('an item that is switched off cannot be ordered until it is switched on', async () => {
    const { page } = counter
    await page.getByRole('link', { name: 'Menu' }).click()
    await button(page, 'Switch off Lentil Soup').click()
    await button(page, 'Until I switch it on').click()
    const switchOn = page
      .getByRole('region', { name: 'Off now' })
      .getByRole('button', { name: 'Switch on Lentil Soup' })
    await switchOn.waitFor()
    expect(await pollUntil(() => validateOrder(own.soup), 'item-unavailable')).toBe('item-unavailable')
    await switchOn.click()
    await page.getByText('Everything on the menu can be ordered.').waitFor()
    expect(await pollUntil(() => validateOrder(own.soup), 'possible')).toBe('possible')
  })

  test('a choice that is off for 2 hours cannot be ordered, and the page shows the end', async () => {
    const { page } = counter
    await page.getByText('2 choices').click()
    await button(page, 'Switch off Chili crisp').click()
    await button(page, 'For 2 hours').click()
    const off = page.getByRole('region', { name: 'Off now' })
    await off.getByText(/Chili crisp · Pan-fried Dumplings\s*Off until .*\d:\d\d/).waitFor()
    const orderChoice = () => validateOrder(own.dumplings, [{ apiKey: own.chili }])
    expect(await pollUntil(orderChoice, 'item-unavailable')).toBe('item-unavailable')
    expect(await validateOrder(own.dumplings)).toBe('possible')
    const { body } = await get<MenuCategory[]>(`restaurant/${own.apiKey}/menu?includeCustomizations=true`)
    expect(JSON.stringify(body)).toContain('"available":false')
    await off.getByRole('button').click()
    await page.getByText('Everything on the menu can be ordered.').waitFor()
  })

  test('the search finds items and choices', async () => {
    const { page } = counter
    await page.getByLabel('Find on the menu').fill('chili')
    await button(page, 'Switch off Lentil Soup').waitFor({ state: 'detached' })
    expect(await button(page, 'Switch off Pan-fried Dumplings').isVisible()).toBe(true)
    await page.getByLabel('Find on the menu').fill('')
    await page.getByRole('link', { name: 'Orders' }).click()
  })

  test('a paused restaurant takes no orders until it resumes', async () => {
    const { page } = counter
    await button(page, 'Pause').click()
    await button(page, '20 min').click()
    await page.getByRole('status').filter({ hasText: 'Paused until' }).waitFor()
    expect(await pollUntil(() => validateOrder(own.soup), 'restaurant-closed')).toBe('restaurant-closed')
    await button(page, 'Start taking orders').click()
    await page.getByText('Paused until').waitFor({ state: 'detached' })
    expect(await pollUntil(() => validateOrder(own.soup), 'possible')).toBe('possible')
  })

  test('"Stop taking orders" closes the restaurant until "Start taking orders"', async () => {
    const { page } = counter
    // By keyboard, because the previous test has just clicked there: a second click would belong to a double tap.
    await button(page, 'Stop taking orders').press('Enter')
    await page.getByRole('status').filter({ hasText: 'The restaurant has stopped taking orders.' }).waitFor()
    expect(await pollUntil(() => validateOrder(own.soup), 'restaurant-closed')).toBe('restaurant-closed')
    await page.reload()
    await button(page, 'Start taking orders').click()
    await page.getByText(OPEN).waitFor()
    expect(await pollUntil(() => validateOrder(own.soup), 'possible')).toBe('possible')
  })

  test('after "Start taking orders" customers can order at once, and the page never shows another reason', async () => {
    const { page } = counter
    await button(page, 'Pause').click()
    await button(page, '20 min').click()
    await page.getByRole('status').filter({ hasText: 'Paused until' }).waitFor()
    await readAgain(page)
    const states = await statesOf(page)
    // Without this line, the page would read the restaurant every 15 seconds.
    await endTimers(page)
    await button(page, 'Start taking orders').click()
    await page.getByText('Customers can order: yes').waitFor()
    expect(await states()).toEqual([PAUSED, OPEN])
    await page.reload()
  })

  test('customers can order when a pause expires, and the page never shows another reason', async () => {
    const { page } = counter
    await button(page, 'Pause').click()
    await button(page, '20 min').click()
    await page.getByRole('status').filter({ hasText: 'Paused until' }).waitFor()
    await plant(
      `update catalog.restaurants set paused_until = now() + interval '10 seconds' where api_key = $1`,
      own.apiKey,
    )
    await readAgain(page)
    const states = await statesOf(page)
    await page.getByText('Customers can order: yes').waitFor({ timeout: 45_000 })
    expect(await states()).toEqual([PAUSED, OPEN])
  })

  test('a stale response does not show a pause again', async () => {
    const { page } = counter
    await button(page, 'Pause').click()
    await button(page, '20 min').click()
    await page.getByRole('status').filter({ hasText: 'Paused until' }).waitFor()
    // The request starts before the end of the pause. Its response arrives after the page has shown the end.
    const release = await holdResponse(page, '**/restaurantapi/v1/restaurant')
    const request = page.waitForRequest('**/restaurantapi/v1/restaurant')
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await request
    await button(page, 'Start taking orders').click()
    await page.getByText('Customers can order: yes').waitFor()
    const states = await statesOf(page)
    const staleResponse = page.waitForResponse('**/restaurantapi/v1/restaurant')
    release()
    await (await staleResponse).finished()
    await readAgain(page)
    expect(await states()).toEqual([OPEN])
  })

  test('a late success closes its own dialog only, and not the one that was opened meanwhile', async () => {
    const { page } = counter
    const release = await holdResponse(page, '**/restaurantapi/v1/pause')
    await button(page, 'Pause').click()
    await button(page, '20 min').click()
    await page.keyboard.press('Escape')
    await button(page, 'Settings').click()
    const settings = page.getByRole('dialog', { name: 'Settings' })
    await settings.waitFor()
    release()
    await page.getByText('Paused until').waitFor()
    expect(await settings.isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await button(page, 'Start taking orders').click()
    await page.getByText(OPEN).waitFor()
  })

  test('no script can read the access key', async () => {
    const { page, context } = counter
    const found = await page.evaluate(() =>
      [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join(),
    )
    expect(found).not.toContain('platter_live')
    expect(await context.cookies()).toMatchObject([
      { value: own.key, httpOnly: true, sameSite: 'Strict', expires: -1 },
    ])
    expect(observed.faults).toEqual([])
  })

  test('the cookie behind an HTTPS proxy is Secure, and keeps the page signed in', async () => {
    const { page, context } = await signIn(browser, own, {
      extraHTTPHeaders: { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' },
    })
    expect(await context.cookies()).toMatchObject([
      {
        name: '__Host-platter-console',
        value: own.key,
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
      },
    ])
    await page.reload()
    await page.getByText('Ready or on the way').waitFor()
    await context.close()
  })

  test('an invalid access key and a key of another audience cause different messages', async () => {
    const { page, context } = await open(browser)
    await page.getByLabel('Access key').fill(own.key.slice(0, -1))
    await button(page, 'Sign in').click()
    await page.getByText('This access key is not valid.').waitFor()
    await page.getByLabel('Access key').fill(stack().accessKey)
    await page.keyboard.press('Enter')
    await page.getByText('This access key does not belong to a restaurant.').waitFor()
    expect(await context.cookies()).toEqual([])
    await context.close()
  })

  test('signing out deletes the cookie, signs out the other pages of the browser, and closes their dialogs', async () => {
    const { page, context } = await signIn(browser, own)
    const other = await context.newPage()
    await other.goto(page.url())
    await other.getByText('Ready or on the way').waitFor()
    await button(other, 'Pause').click()
    await button(page, 'Settings').click()
    await button(page, 'Sign out').click()
    await page.getByLabel('Access key').waitFor()
    expect(await context.cookies()).toEqual([])
    await other.getByText('You were signed out').waitFor()
    await other.getByLabel('Access key').fill(own.key)
    await button(other, 'Sign in').click()
    await other.getByText('Ready or on the way').waitFor()
    expect(await other.getByRole('dialog').count()).toBe(0)
    await context.close()
  })

  test('the screen stays on while the page is open, also after the page was hidden', async () => {
    const { page } = counter
    await page.reload()
    await page.getByText('Ready or on the way').waitFor()
    expect(await spied(page)).toMatchObject({ screenLocks: 1 })
    await readAgain(page)
    expect(await spied(page)).toMatchObject({ screenLocks: 2 })
  })

  test('a revoked key leads back to the sign-in, with a message', async () => {
    const { page, context } = counter
    const [cookie] = await context.cookies()
    await context.addCookies([{ ...cookie!, value: 'platter_live_revoked' }])
    // The next poll of the restaurant would detect it. A page that becomes visible polls at once.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await page.getByText('You were signed out').waitFor()
    expect(await page.getByRole('article').count()).toBe(0)
  })
})
