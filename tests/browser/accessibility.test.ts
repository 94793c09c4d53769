import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { report } from '../e2e/client.ts'
import {
  aConsole,
  axeEverywhere,
  browserProgram,
  button,
  startBrowser,
  open,
  place,
  signIn,
  sizes,
  toSalina,
  type OwnRestaurant,
} from './console.ts'

let browser: Browser
let own: OwnRestaurant
/** The page of all tests after the sign-in. The last one takes it offline. */
let page: Page

/** Places one order in each column, and one on its way. */
async function fill(): Promise<void> {
  const [, second, third, fourth] = [
    await place(own),
    await place(own, { comments: 'no nuts, please' }),
    await place(own, toSalina),
    await place(own),
  ]
  await report(second.apiKey, 'PREPARING', own.key)
  await report(third.apiKey, 'OUT_FOR_DELIVERY', own.key)
  await report(fourth.apiKey, 'READY_FOR_PICKUP', own.key)
  await report(fourth.apiKey, 'DELIVERED', own.key)
}

describe.skipIf(browserProgram() === null)('accessibility in light and dark, on phone and desktop', () => {
  beforeAll(async () => {
    ;[browser, own] = await Promise.all([startBrowser(), aConsole()])
    await fill()
    ;({ page } = await signIn(browser, own))
  })
  afterAll(() => browser.close())

  test('axe finds no violation on the sign-in page', async () => {
    const { page: signInPage, context } = await open(browser)
    await signInPage.getByLabel('Access key').fill('none')
    await button(signInPage, 'Sign in').click()
    await signInPage.getByText('This access key is not valid.').waitFor()
    expect(await axeEverywhere(signInPage, 'sign-in')).toEqual([])
    await context.close()
  })

  test('axe finds no violation in the dialogs and on the menu', async () => {
    const found: string[] = []
    const checkView = async (view: string) => found.push(...(await axeEverywhere(page, view)))
    await button(page, 'Settings').click()
    await checkView('settings')
    await button(page, 'Close').click()
    await button(page, 'Pause').click()
    await checkView('pause')
    await button(page, 'Close').click()
    await page
      .getByRole('button', { name: /^Refuse/ })
      .first()
      .click()
    await button(page, 'Refuse the order').click()
    await checkView('refuse')
    await button(page, 'Close').click()
    await page.getByRole('link', { name: 'Menu' }).click()
    await page.getByText('2 choices').click()
    await button(page, 'Switch off Lentil Soup').click()
    await checkView('off')
    await button(page, 'Until I switch it on').click()
    await page.getByText('Everything on the menu').waitFor({ state: 'detached' })
    await checkView('menu')
    expect(found).toEqual([])
  })

  test('the board and the menu have no horizontal overflow at 320 by 256 px', async () => {
    await page.getByRole('link', { name: 'Orders' }).click()
    await page.setViewportSize({ width: 320, height: 256 })
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(await overflow()).toBe(0)
    await page.getByRole('link', { name: 'Menu' }).click()
    await page.getByText('2 choices').click()
    expect(await overflow()).toBe(0)
  })

  test('axe finds no violation on the board: every column, an expanded order, offline', async () => {
    await page.getByRole('link', { name: 'Orders' }).click()
    const found = await axeEverywhere(page, 'orders')
    await page.getByRole('button', { name: /Ready$/ }).click()
    found.push(...(await axeEverywhere(page, 'ready')))
    await page.getByRole('button', { name: /Done$/ }).click()
    await page.getByRole('region', { name: 'Done' }).locator('summary').click()
    await page.context().setOffline(true)
    await page.getByText('Offline since').waitFor()
    await page.setViewportSize(sizes.desktop)
    await page.getByRole('button', { name: /^Start preparing/ }).click()
    await page.getByText('You are offline').waitFor()
    found.push(...(await axeEverywhere(page, 'offline')))
    expect(found).toEqual([])
  })
})
