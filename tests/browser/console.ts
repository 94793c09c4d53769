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
import { aRestaurant, menuItem, newKey } from '../e2e/own-restaurant.ts'

/** Null where there is none: then nothing here can run. */
export const browserUrl = () => inject('browser')

/** The browser of all files. A page of one file sees nothing of another's: each has a context of its own. */
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

/** A new restaurant whose orders move only when its page says so. */
export async function aConsole(
  reports: 'detailed' | 'coarse' = 'detailed',
  names = NAMES,
): Promise<OwnRestaurant> {
  const chili = { apiKey: newKey(), name: names.chili, price: 0.75 }
  const choices = [chili, { apiKey: newKey(), name: 'Soy sauce', price: 0 }]
  const sauce = { apiKey: newKey(), name: 'Sauce', type: 'sauce', customizationChoices: choices }
  const soup = menuItem(8.5, { name: names.soup })
  const dumplings = menuItem(11.25, {
    name: 'Pan-fried Dumplings',
    customizationGroups: [
      { apiKey: newKey(), name: 'Sauce', maxCount: 2, basePrice: 0, customizations: [sauce] },
    ],
  })
  const apiKey = await aRestaurant({ name: names.restaurant }, [soup, dumplings])
  await api.linkConsole(apiKey, reports)
  const accessKey = await api.restaurantKey(apiKey)
  return { apiKey, accessKey, soup: soup.apiKey, dumplings: dumplings.apiKey, chili: chili.apiKey }
}

/** A guest's order of a soup and two dumplings with chili, for pickup and in cash unless `changes` say otherwise. */
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

/** Reports as another system of the restaurant would. */
export const report = (own: OwnRestaurant, orderApiKey: string, status: string) =>
  call<RestaurantOrder>(`/restaurantapi/v1/order/${orderApiKey}/status`, {
    key: own.accessKey,
    body: { status },
  })

/** Refuses as another system of the restaurant would. */
export const refuse = (own: OwnRestaurant, orderApiKey: string, reason: string) =>
  call<RestaurantOrder>(`/restaurantapi/v1/order/${orderApiKey}/refuse`, {
    key: own.accessKey,
    body: { reason },
  })

/** The order as its restaurant gets it. */
export const read = (own: OwnRestaurant, { apiKey }: { apiKey: string }) =>
  call<RestaurantOrder>(`/restaurantapi/v1/order/${apiKey}`, { key: own.accessKey })

/** The event stream of one order, whenever it is opened. */
export const streamOf = (order: RestaurantOrder) => ({
  contentType: 'text/event-stream',
  body: `event: order\ndata: ${JSON.stringify(order)}\n\nevent: ready\ndata: {}\n\n`,
})

// Pages ----------------------------------------------------------------------------------------------------

/** What the page did that cannot be seen: notes struck, notifications shown. */
type Spied = { strokes: number; notifications: string[]; printed: number }

/** Runs in the page, before anything of the page's own. */
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

/** A page in a context of its own, and everything that went wrong in it. */
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
    // What Chromium itself says of an answer that is no success, or of a lost line, is what tests are about.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      counter.faults.push(message.text())
  })
  await page.goto(`${stack().gateway}/console/`)
  return counter
}

/** Opens the console and signs in as a person does. */
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

/** An order, as long as it is in this column of the board. */
export const cardIn = (page: Page, column: string, { apiKey }: { apiKey: string }) =>
  page.getByRole('region', { name: column }).locator(`#order-${apiKey}`)

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

// What axe says --------------------------------------------------------------------------------------------

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type Rules = { type: 'tag' | 'rule'; values: string[] }
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const CONTRAST: Rules = { type: 'rule', values: ['color-contrast'] }

/** WCAG 2.2 A and AA and axe's own advice: what is not kept, by rule and place. */
export async function axe(page: Page, rules: Rules = { type: 'tag', values: TAGS }): Promise<string[]> {
  // Past the page's policy, which lets no script of ours in; half a megabyte, so once a page.
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

/** In light and dark, on a phone and a desk: what axe finds, by where it does. */
export async function axeEverywhere(page: Page, view: string): Promise<string[]> {
  const found: string[] = []
  for (const size of ['desktop', 'phone'] as const) {
    await page.setViewportSize(sizes[size])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      // Nothing but the colours changes with the scheme.
      const faults = await axe(page, colorScheme === 'light' ? undefined : CONTRAST)
      found.push(...faults.map((fault) => `${view}, ${size}, ${colorScheme}: ${fault}`))
      await shoot(page, `${view}-${size}-${colorScheme}`)
    }
  }
  return found
}

const SHOTS = fileURLToPath(new URL('../../.run/screenshots', import.meta.url))

/** For people to look at, with PLATTER_SCREENSHOTS=1: in .run/screenshots. They take longer than the tests. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (process.env['PLATTER_SCREENSHOTS'] === undefined) return
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: `${SHOTS}/${name}.png` })
}
