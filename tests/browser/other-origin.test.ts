import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anOrder, api, seedRestaurants, post, stack } from '../e2e/client.ts'
import { startHttpServer, type HttpServer } from '@platter/testkit/http-server'
import { browserProgram, startBrowser } from './console.ts'

let browser: Browser | undefined
let shop: HttpServer | undefined
let page: Page
/** The key of a new application, so that no other test uses its limits. */
let key: string

type Read = { status: number; body: { code?: string }; headers: Record<string, string | null> }

const NAMES = ['ratelimit', 'retry-after', 'x-request-id', 'link', 'x-ignored-fields']

/** Calls the gateway from the page, like an application in a browser. Rejects if the page may not read the response. */
const fromPage = (path: string, body?: unknown, accessKey = key): Promise<Read> =>
  page.evaluate(
    async ({ url, content, token, names }) => {
      const response = await fetch(url, {
        method: content === undefined ? 'GET' : 'POST',
        headers: { 'x-access-token': token, 'content-type': 'application/json' },
        ...(content !== undefined && { body: JSON.stringify(content) }),
      })
      const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]))
      return { status: response.status, body: (await response.json()) as Read['body'], headers }
    },
    { url: `${stack().gateway}/publicapi/v1/${path}`, content: body, token: accessKey, names: NAMES },
  )

/**
 * Returns the first response of `send` with this problem code, while 40 callers repeat `load`. On a busy machine, other 503 responses
 * precede it: a service does not respond in time.
 */
async function whileLoaded(code: string, load: () => Promise<unknown>, send: () => Promise<Read>) {
  const state = { isOver: false }
  const others = Array.from({ length: 40 }, async () => {
    while (!state.isOver) await load()
  })
  try {
    let response = await send()
    while (response.body.code !== code) response = await send()
    return response
  } finally {
    state.isOver = true
    await Promise.all(others)
  }
}

const accountOf = (name: string) => ({ email: `${name}@example.org`, password: 'a long enough password' })

describe.skipIf(browserProgram() === null)('application in a browser, on another origin', () => {
  beforeAll(async () => {
    shop = await startHttpServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<p>A shop'),
    )
    key = (await api.newApplication('a shop')).accessKey
    browser = await startBrowser()
    page = await browser.newPage()
    await page.goto(shop.url)
  })
  afterAll(async () => {
    await browser?.close()
    await shop?.close()
  })

  test('searches, orders, and reads the statuses by EventSource with the key in the query', async () => {
    const found = await fromPage('restaurant/search?street-address=Madison, WI&limit=1')
    expect(found).toMatchObject({ status: 200, body: { address: { city: 'Madison' } } })
    expect(found.headers['link']).toMatch(/rel="next"/)
    expect(found.headers['ratelimit']).toMatch(/^"default"/)
    const sent = await fromPage('send-order', { ...(await anOrder(seedRestaurants.aurora)), quantity: 1 })
    expect(sent).toMatchObject({ status: 200, headers: { 'x-ignored-fields': 'quantity' } })
    const { apiKey } = sent.body as { apiKey: string }
    const statuses = await page.evaluate(
      (url) =>
        new Promise<string[]>((resolve) => {
          const seen: string[] = []
          const source = new EventSource(url)
          source.addEventListener('status', ({ data }) => {
            seen.push((JSON.parse(data as string) as { status: string }).status)
            if (seen.at(-1) !== 'DELIVERED') return
            source.close()
            resolve(seen)
          })
        }),
      `${stack().gateway}/publicapi/v1/order/${apiKey}/statuses?access-token=${key}`,
    )
    expect(statuses[0]).toBe('PROCESSING')
    expect(statuses.at(-1)).toBe('DELIVERED')
  })

  test('reads a 401 and a 422', async () => {
    const stranger = await fromPage('restaurant/search', undefined, 'platter_live_nonsense')
    expect(stranger).toMatchObject({ status: 401, body: { code: 'access-token-invalid', error: true } })
    expect(stranger.headers['x-request-id']).not.toBeNull()
    const closed = await fromPage('validate-order', await anOrder(seedRestaurants.closed))
    expect(closed).toMatchObject({ status: 422, body: { code: 'restaurant-closed' } })
  })

  test('reads a 429 and its Retry-After', async () => {
    const account = accountOf('one')
    let response = await fromPage('signin', account)
    for (let attempts = 1; attempts < 100 && response.status === 401; attempts++)
      response = await fromPage('signin', account)
    expect(response).toMatchObject({ status: 429, body: { code: 'rate-limited' } })
    expect(response.headers['retry-after']).toMatch(/^\d+$/)
  })

  test('reads a 503 of an overloaded gateway', async () => {
    const response = await whileLoaded(
      'overloaded',
      () => post('signin', accountOf(crypto.randomUUID()), { key }),
      () => fromPage('signin', accountOf(crypto.randomUUID())),
    )
    expect(response).toMatchObject({ status: 503 })
    expect(response.headers['retry-after']).toMatch(/^\d+$/)
  })

  test('cannot read responses for operators and restaurants', async () => {
    for (const path of ['operatorapi/v1/applications', 'restaurantapi/v1/restaurant']) {
      const url = `${stack().gateway}/${path}`
      const read = page.evaluate(async (address) => (await fetch(address)).status, url)
      await expect(read).rejects.toThrow('Failed to fetch')
    }
  })
})
