import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { RestaurantOrder } from '@platter/contracts'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { inject } from 'vitest'
import { api, call, maria, sendOrder, stack } from '../e2e/client.ts'
import { aRestaurant, itemWithChoices, menuItem, newKey } from '../e2e/own-restaurant.ts'
import { asRestaurant } from '../e2e/restaurant-client.ts'

/** Null without a browser. Then no test of this folder can run. */
export const browserUrl = () => inject('browser')

/** The browser of all files. Pages of different files are isolated, because each has a separate context. */
export const connect = (): Promise<Browser> => chromium.connect(browserUrl() ?? '')

// Restaurants ----------------------------------------------------------------------------------------------

export type OwnRestaurant = {
  apiKey: string
  accessKey: string
  soup: string
  dumplings: string
  /** A choice of the dumplings. */
  chili: string
}

const NAMES = { restaurant: 'Nine Lanterns', soup: 'Lentil Soup', chili: 'Chili crisp' }

/** Creates a restaurant whose orders change only by reports of its page. */
export async function aConsole(
  reports: 'detailed' | 'coarse' = 'detailed',
  names = NAMES,
): Promise<OwnRestaurant> {
  const chili = { apiKey: newKey(), name: names.chili, price: 0.75 }
  const choices = [chili, { apiKey: newKey(), name: 'Soy sauce', price: 0 }]
  const soup = menuItem(8.5, { name: names.soup })
  const dumplings = itemWithChoices(11.25, { group: 'Sauce', choices }, { name: 'Pan-fried Dumplings' })
  const apiKey = await aRestaurant({ name: names.restaurant }, [soup, dumplings])
  await api.linkConsole(apiKey, reports)
  const accessKey = await api.restaurantKey(apiKey)
  return { apiKey, accessKey, soup: soup.apiKey, dumplings: dumplings.apiKey, chili: chili.apiKey }
}

/** Places an order of a guest: a soup and two dumplings with chili, for pickup and in cash. `changes` replaces fields. */
export async function place(
  { apiKey, soup, dumplings, chili }: OwnRestaurant,
  changes: Record<string, unknown> = {},
): Promise<{ apiKey: string; id: number; total: number }> {
  const piece = { apiKey: dumplings, customizationChoices: [{ apiKey: chili }], comments: 'extra crispy' }
  const { status, body } = await sendOrder({
    restaurantApiKey: apiKey,
    items: [{ apiKey: soup }, piece, piece],
    method: 'pickup',
    payment: 'cash',
    recipient: maria,
    ...changes,
  })
  if (status !== 200) throw new Error(`not placed: ${JSON.stringify(body)}`)
  return { apiKey: body.apiKey, id: body.id ?? 0, total: body.total }
}

export const toSalina = {
  method: 'delivery',
  address: { streetAddress: '147 N Santa Fe Ave', city: 'Salina', state: 'KS', zip: '67401' },
}

/** Reports a status like another system of the restaurant. */
export const report = (own: OwnRestaurant, orderApiKey: string, status: string) =>
  asRestaurant<RestaurantOrder>(`order/${orderApiKey}/status`, { status }, own.accessKey)

/** Rejects an order like another system of the restaurant. */
export const refuse = (own: OwnRestaurant, orderApiKey: string, reason: string) =>
  asRestaurant<RestaurantOrder>(`order/${orderApiKey}/refuse`, { reason }, own.accessKey)

/** Returns the order in the form for its restaurant. */
export const read = (own: OwnRestaurant, { apiKey }: { apiKey: string }) =>
  call<RestaurantOrder>(`/restaurantapi/v1/order/${apiKey}`, { key: own.accessKey })

/** The event stream of one order, opened at any time. */
export const streamOf = (order: RestaurantOrder) => ({
  contentType: 'text/event-stream',
  body: `event: order\ndata: ${JSON.stringify(order)}\n\nevent: ready\ndata: {}\n\n`,
})

// Pages ----------------------------------------------------------------------------------------------------

/** Invisible effects of the page: played notes, shown notifications, printed tickets. */
type Spied = { strokes: number; notifications: string[]; printed: number }

/** Runs in the page, before the scripts of the page. */
function spy(): void {
  const spied: Spied = { strokes: 0, notifications: [], printed: 0 }
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
  const workers: Worker[] = []
  Object.assign(globalThis, { workers })
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options)
      workers.push(this)
    }
  }
  globalThis.print = () => void (spied.printed += 1)
}

/** A page in a separate context, with all of its errors. */
export type Counter = { context: BrowserContext; page: Page; faults: string[]; hosts: Set<string> }

export const sizes = {
  phone: { width: 390, height: 844 },
  counter: { width: 1180, height: 820 },
  desktop: { width: 1440, height: 900 },
} as const

/** Opens the console as a person who has never used it. */
export async function open(browser: Browser, options: BrowserContextOptions = {}): Promise<Counter> {
  const context = await browser.newContext({ viewport: sizes.counter, locale: 'en-US', ...options })
  await context.addInitScript(spy)
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const counter: Counter = { context, page, faults: [], hosts: new Set() }
  page.on('request', (request) => counter.hosts.add(new URL(request.url()).origin))
  page.on('pageerror', (error) => counter.faults.push(error.message))
  page.on('console', (message) => {
    // Tests cause failed responses and lost connections on purpose. Chromium logs them as errors.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      counter.faults.push(message.text())
  })
  await page.goto(`${stack().gateway}/console/`)
  return counter
}

/** Opens the console and signs in like a person. */
export async function signIn(
  browser: Browser,
  { accessKey }: OwnRestaurant,
  options: BrowserContextOptions = {},
): Promise<Counter> {
  const counter = await open(browser, options)
  await counter.page.getByLabel('Access key').fill(accessKey)
  await counter.page.getByRole('button', { name: 'Sign in' }).click()
  await counter.page
    .getByRole('heading', { name: 'New', exact: false, level: 2 })
    .waitFor({ state: 'attached' })
  return counter
}

export const spied = (page: Page): Promise<Spied> =>
  page.evaluate(() => (globalThis as unknown as { spied: Spied }).spied)

/** Ends all timers of the page. Later changes of the page then result only from user input and from the network. */
export const endTimers = (page: Page) =>
  page.evaluate(() => {
    const last = Number(setInterval(() => 'nothing', 3_600_000))
    for (let id = 1; id <= last; id++) clearInterval(id)
    for (const worker of (globalThis as unknown as { workers: Worker[] }).workers) worker.terminate()
  })

/** Returns the hosts that received requests of these pages, and all faults, with requests that the content security policy blocked. */
export const hostsAndFaultsOf = (counters: readonly Counter[]): { hosts: string[]; faults: string[] } => ({
  hosts: [...new Set(counters.flatMap(({ hosts }) => [...hosts]))],
  faults: counters.flatMap(({ faults }) => faults),
})

/** Locates an order while it is in this column of the board. */
export const cardIn = (page: Page, column: string, { apiKey }: { apiKey: string }) =>
  page.getByRole('region', { name: column }).locator(`#order-${apiKey}`)

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

// Accessibility --------------------------------------------------------------------------------------------

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type Rules = { type: 'tag' | 'rule'; values: string[] }
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const CONTRAST: Rules = { type: 'rule', values: ['color-contrast'] }

/** Checks WCAG 2.2 A and AA and the recommendations of axe. Returns the violations by rule and place. */
export async function axe(page: Page, rules: Rules = { type: 'tag', values: TAGS }): Promise<string[]> {
  // The evaluation bypasses the content security policy of the page, which blocks scripts of the test. The script has half a
  // megabyte, so it is loaded once per page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  return page.evaluate(async (runOnly) => {
    type Violation = { id: string; nodes: { html: string; any: { message: string }[] }[] }
    const { axe: tool } = globalThis as unknown as {
      axe: { run: (what: unknown, how: unknown) => Promise<{ violations: Violation[] }> }
    }
    const { violations } = await tool.run(document, { runOnly, resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, any }) => `${id}: ${html.slice(0, 120)} ${any.map(({ message }) => message).join()}`,
      ),
    )
  }, rules)
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
      await shoot(page, `${view}-${size}-${colorScheme}`)
    }
  }
  return found
}

const SHOTS = fileURLToPath(new URL('../../.run/screenshots', import.meta.url))

/** Takes a screenshot for people, with PLATTER_SCREENSHOTS=1, in .run/screenshots. The screenshots take longer than the tests. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (process.env['PLATTER_SCREENSHOTS'] === undefined) return
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: `${SHOTS}/${name}.png` })
}
