import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { problems, SendOrder, type ProblemCode } from '@platter/contracts'
import { expect, test } from 'vitest'
import { call, sendOrder, stack } from './client.ts'

const fetchText = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${stack().gateway}${path}`, { headers })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

test('GET /openapi.json: the committed document, without an access key', async () => {
  const { status, headers, body } = await fetchText('/openapi.json')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('application/json')
  const committed = await readFile(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8')
  expect(JSON.parse(body)).toEqual(JSON.parse(committed))
})

test.each(['/docs', '/docs/'])('GET %s: a page without resources of another host', async (path) => {
  const { status, headers, body } = await fetchText(path)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toContain('text/html')
  expect(body).not.toMatch(/\/\/\w/)
  const policy = headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).not.toMatch(/https?:|\*/)
})

test('GET /docs: its scripts are served, the one of 4 MB always compressed', async () => {
  const { body } = await fetchText('/docs')
  const scripts = [...body.matchAll(/<script src="([^"]+)"/g)].map(([, script]) => script ?? '')
  expect(scripts.length).toBe(2)
  const served = await Promise.all(scripts.map((script) => fetchText(script, { 'accept-encoding': 'gzip' })))
  for (const { headers, body: script } of served) {
    expect(headers.get('content-type')).toContain('text/javascript')
    expect(script).toContain('createApiReference')
  }
  const compressed = served.filter(({ headers }) => headers.get('content-encoding') === 'gzip')
  expect(compressed.map(({ body: script }) => script.length > 1_000_000)).toEqual([true])
})

test('the type of a problem is the URL of an HTML page, and of a JSON record for programs', async () => {
  const { body: problem } = await call<{ type: string; code: ProblemCode }>('/publicapi/v1/order/nothing')
  const page = await fetchText(problem.type, { accept: 'text/html,application/xhtml+xml' })
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.body).toContain(problems[problem.code].title)
  const row = await call(problem.type)
  expect(row.body).toEqual({ code: problem.code, ...problems[problem.code] })
})

/** The first order of a developer is the first example of the documentation, sent unchanged. */
test.each(Object.entries(SendOrder.examples.bodies).filter(([, body]) => !namesAUser(body)))(
  'the documented order "%s" can be sent in development',
  async (_name, body) => {
    const { status, body: order } = await sendOrder(body)
    expect({ status, problem: order.details }).toEqual({ status: 200, problem: undefined })
  },
)

test('the documented response of send-order equals a real one, except identifiers and date', async () => {
  const { bodies, response } = SendOrder.examples
  const { body: order } = await sendOrder(Object.values(bodies)[0])
  const { apiKey, id, datePlaced } = order
  expect(order).toEqual({ ...response, apiKey, id, datePlaced })
})

/** Users belong to the application that registers them, so the seed has no users. */
function namesAUser(body: unknown): boolean {
  return 'apiKey' in (body as { recipient: object }).recipient
}
