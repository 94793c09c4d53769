import axeCore, { type RunOptions } from 'axe-core'
import type { RestaurantOrder } from '@platter/contracts'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { inject } from 'vitest'
import { expectOk, sendOrder, stack } from '../e2e/client.ts'
import { aConsole, salina, type OwnRestaurant } from '../e2e/own-restaurant.ts'
import { pickup } from '../support/fixtures.ts'

export { aConsole, type OwnRestaurant }

/** Null without a browser. Then no test of this folder can run. */
export const browserProgram = () => inject('browser')

/** All pages are of one site. Without site isolation, a page needs two processes instead of three. */
const FLAGS = ['--disable-gpu', '--disable-site-isolation-trials']

/**
 * Starts a browser for the tests of a file. With one for all files, the main process of vitest would pass on the messages of all
 * workers: the tests took 206 core-seconds, instead of 183 with a browser for each file.
 */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: browserProgram() ?? '', args: FLAGS })

// Restaurants ----------------------------------------------------------------------------------------------

/** Places an order of a guest: a soup and two dumplings with chili, for pickup and in cash. `changes` replaces fields. */
export async function place(
  { apiKey, soup, dumplings, chili }: OwnRestaurant,
  changes: Record<string, unknown> = {},
) {
  const piece = { apiKey: dumplings, customizationChoices: [{ apiKey: chili }], comments: 'extra crispy' }
  const items = [{ apiKey: soup }, piece, piece]
  return expectOk(await sendOrder({ ...pickup(apiKey, soup), items, ...changes }))
}

export const toSalina = { method: 'delivery', address: salina }

/** The event stream of one order, opened at any time. */
export const streamOf = (order: RestaurantOrder) => ({
  contentType: 'text/event-stream',
  body: `event: order\ndata: ${JSON.stringify(order)}\n\nevent: ready\ndata: {}\n\n`,
})

// Pages ----------------------------------------------------------------------------------------------------

/** Invisible effects of the page: played notes, shown notifications, printed tickets, locks that keep the screen on. */
type Spied = { strokes: number; notifications: string[]; printed: number; screenLocks: number }

/** Runs in the page, before the scripts of the page. */
function spy(): void {
  const spied: Spied = { strokes: 0, notifications: [], printed: 0, screenLocks: 0 }
  Object.assign(globalThis, { spied })
  globalThis.AudioContext = class extends AudioContext {
    override createOscillator(): OscillatorNode {
      spied.strokes += 1
      return super.createOscillator()
    }
  }
  globalThis.Notification = class extends EventTarget {
    static permission = 'granted'
    static requestPermission = async () => 'granted'
    constructor(title: string) {
      super()
      spied.notifications.push(title)
    }
  } as unknown as typeof Notification
  globalThis.print = () => void (spied.printed += 1)
  WakeLock.prototype.request = async () => {
    spied.screenLocks += 1
    return new EventTarget() as WakeLockSentinel
  }
}

export const sizes = {
  phone: { width: 390, height: 844 },
  counter: { width: 1180, height: 820 },
  desktop: { width: 1440, height: 900 },
} as const

/**
 * The origins that received requests of the pages of this worker, and all errors of scripts, with requests that the content
 * security policy blocked.
 */
export const observed = { origins: new Set<string>(), faults: [] as string[] }

export type Counter = Awaited<ReturnType<typeof open>>

/** Opens the console as a person who has never used it. */
export async function open(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    viewport: sizes.counter,
    locale: 'en-US',
    // The highlight of a new order has 70 frames. Without a graphics processor they took a quarter of the time of Chromium.
    reducedMotion: 'reduce',
    ...options,
  })
  await context.addInitScript(spy)
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  page.on('request', (request) => observed.origins.add(new URL(request.url()).origin))
  page.on('pageerror', (error) => observed.faults.push(error.message))
  page.on('console', (message) => {
    // Tests cause failed responses and lost connections on purpose. Chromium logs them as errors.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      observed.faults.push(message.text())
  })
  await page.goto(`${stack().gateway}/console/`)
  return { context, page }
}

/** Opens the console and signs in like a person. */
export async function signIn(
  browser: Browser,
  { key }: OwnRestaurant,
  options: BrowserContextOptions = {},
): Promise<Counter> {
  const counter = await open(browser, options)
  await counter.page.getByLabel('Access key').fill(key)
  await counter.page.getByRole('button', { name: 'Sign in' }).click()
  await counter.page.getByRole('heading', { name: 'New', level: 2 }).waitFor({ state: 'attached' })
  return counter
}

export const spied = (page: Page): Promise<Spied> =>
  page.evaluate(() => (globalThis as unknown as { spied: Spied }).spied)

/** Runs in the page and in its workers. */
function clearTimers(): void {
  const last = Number(setInterval(() => 'nothing', 3_600_000))
  for (let id = 1; id <= last; id++) clearInterval(id)
}

/**
 * Ends all timers of the page, also those of its workers. Later changes of the page then result only from user input and from the
 * network.
 */
export const endTimers = (page: Page) =>
  Promise.all([page, ...page.workers()].map((one: Pick<Page, 'evaluate'>) => one.evaluate(clearTimers)))

/** Locates an order while it is in this column of the board. */
export const cardIn = (page: Page, column: string, { apiKey }: { apiKey: string }) =>
  page.getByRole('region', { name: column }).locator(`#order-${apiKey}`)

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

// Accessibility --------------------------------------------------------------------------------------------

type Rules = NonNullable<RunOptions['runOnly']>
const TAGS: Rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const CONTRAST: Rules = { type: 'rule', values: ['color-contrast'] }

/**
 * Checks WCAG 2.2 A and AA and the recommendations of axe. Returns the violations by rule and place. While a dialog is open, it
 * checks only the dialog, because the page behind it is inert.
 */
export async function axe(page: Page, rules = TAGS): Promise<string[]> {
  // The evaluation bypasses the content security policy of the page, which blocks scripts of the test. The script has half a
  // megabyte, so it is loaded once per page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeCore.source)
  const { violations } = await page.evaluate(
    (runOnly) =>
      (globalThis as unknown as { axe: typeof axeCore }).axe.run(
        document.querySelector('dialog[open]') ?? document,
        {
          runOnly,
          resultTypes: ['violations'],
        },
      ),
    rules,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary}`),
  )
}

/** Checks light and dark schemes on a phone and a desk. Returns the violations of axe by place. */
export async function axeEverywhere(page: Page, view: string): Promise<string[]> {
  const found: string[] = []
  for (const size of ['desktop', 'phone'] as const) {
    await page.setViewportSize(sizes[size])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      // Only the colours change with the scheme.
      const faults = await axe(page, colorScheme === 'light' ? undefined : CONTRAST)
      found.push(...faults.map((fault) => `${view}, ${size}, ${colorScheme}: ${fault}`))
    }
  }
  return found
}
