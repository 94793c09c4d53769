import { RegisterUser, requestTimes } from '@platter/contracts'
import {
  createApp,
  createLog,
  Deadline,
  overloaded,
  Permit,
  PRINCIPAL_HEADER,
  readBytes,
  readJson,
  Replicas,
  router,
  TIMEOUT_HEADER,
  type App,
} from '@platter/kit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { forwardRequest, withoutAccessKey } from '#/forward.ts'

const log = createLog('test', 'silent')

/** Listens until the end of the test. */
async function listen(app: App): Promise<string> {
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.listeningOrigin
}

/** Starts a gateway with these replicas and this deadline. Returns its URL. */
async function aGateway(urls: string[], deadlineMs: number, ownLog = log): Promise<string> {
  const replicas = new Replicas(urls)
  onTestFinished(() => replicas.close())
  const gateway = createApp(ownLog)
  readBytes(gateway)
  gateway.all('/*', (request, reply) =>
    forwardRequest(replicas, request, reply, {
      method: request.method,
      headers: {},
      deadline: Deadline.in(deadlineMs),
    }),
  )
  return listen(gateway)
}

/** Stops these clocks until the test ends. */
function stopClock(...clocks: ('performance' | 'setTimeout' | 'clearTimeout')[]): void {
  vi.useFakeTimers({ toFake: clocks })
  onTestFinished(() => void vi.useRealTimers())
}

/** Starts a service that never responds. Returns its URL and the requests that it receives. */
async function aSilentService() {
  const requests: { headers: Record<string, unknown>; isClosed: boolean }[] = []
  const service = createApp(log)
  service.all('/*', ({ headers, raw }, reply) => {
    const request = { headers, isClosed: false }
    requests.push(request)
    raw.socket.once('close', () => (request.isClosed = true))
    return reply.hijack()
  })
  return { url: await listen(service), requests }
}

test.each(['GET', 'POST'])(
  'a %s without a response is 503 at its deadline, and the request to the service is closed',
  async (method) => {
    stopClock('performance', 'setTimeout', 'clearTimeout')
    const [one, other] = [await aSilentService(), await aSilentService()]
    const requests = () => [...one.requests, ...other.requests]
    const gateway = await aGateway([one.url, other.url], 400)
    const responding = fetch(`${gateway}/x`, { method })
    await expect.poll(requests).toHaveLength(1)
    vi.advanceTimersByTime(399)
    await new Promise(setImmediate)
    expect(requests().map(({ isClosed }) => isClosed)).toEqual([false])
    vi.advanceTimersByTime(1)
    const response = await responding
    expect(response.status).toBe(503)
    const { detail } = (await response.json()) as { detail: string }
    expect(detail.includes('the outcome is unknown')).toBe(method === 'POST')
    await expect.poll(() => requests().map(({ isClosed }) => isClosed)).toEqual([true])
  },
)

test('a response at the end of a standstill beyond the deadline is relayed', async () => {
  const service = createApp(log)
  service.post('/x', async () => {
    // Gateway and service run in this process.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
    return {}
  })
  const gateway = await aGateway([await listen(service)], 600)
  expect((await fetch(`${gateway}/x`, { method: 'POST' })).status).toBe(200)
})

test.each([
  ['GET', 2],
  ['POST', 1],
])('a %s whose connection a replica closes reaches %i of two replicas', async (method, count) => {
  let requests = 0
  const service = createApp(log)
  service.all('/*', ({ raw }, reply) => {
    requests += 1
    raw.socket.destroy()
    return reply.hijack()
  })
  const url = await listen(service)
  const gateway = await aGateway([url, url], requestTimes.deadline)
  expect((await fetch(`${gateway}/x`, { method })).status).toBe(503)
  expect(requests).toBe(count)
})

test('a POST that reaches no replica had no effect, so the client may simply retry', async () => {
  const response = await fetch(`${await aGateway(['http://127.0.0.1:1'], 1_000)}/x`, { method: 'POST' })
  expect(await response.json()).toMatchObject({
    status: 503,
    detail: 'A part of the service is not available. Please try again.',
  })
})

test('a replica that rejects the principal, as with another clock or secret, is skipped; without another one the request is 503', async () => {
  const rejecting = createApp(log)
  readJson(rejecting)
  router(rejecting, ['a secret of at least thirty-two characters'])(RegisterUser, () => {
    throw new Error('the handler was called')
  })
  const accepting = createApp(log)
  accepting.post(RegisterUser.path, async () => ({}))
  const [first, second] = [await listen(rejecting), await listen(accepting)]
  const [both, one] = [await aGateway([first, second], 10_000), await aGateway([first], 10_000)]
  const responses = [both, both, one].map((gateway) =>
    fetch(`${gateway}${RegisterUser.path}`, { method: 'POST' }),
  )
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 503])
})

test('the gateway receives the overload mark of a service, and the client does not', async () => {
  const service = createApp(log)
  let isBusy = true
  service.get('/x', async () => {
    if (isBusy) throw overloaded()
    return {}
  })
  const replicas = new Replicas([await listen(service)])
  onTestFinished(() => replicas.close())
  const marks: boolean[] = []
  const gateway = createApp(log)
  gateway.get('/x', (request, reply) =>
    forwardRequest(replicas, request, reply, {
      method: 'GET',
      headers: { [PRINCIPAL_HEADER]: 'signed' },
      deadline: Deadline.in(requestTimes.deadline),
      permit: new Permit(
        () => undefined,
        (isOverloaded) => void marks.push(isOverloaded),
      ),
    }),
  )
  const url = `${await listen(gateway)}/x`
  const rejected = await fetch(url)
  isBusy = false
  const accepted = await fetch(url)
  expect([rejected.status, accepted.status]).toEqual([503, 200])
  expect(marks).toEqual([true, false])
  expect(rejected.headers.get('retry-after')).toMatch(/^[123]$/)
  expect([...rejected.headers.keys()].filter((name) => name.startsWith('x-platter'))).toEqual([])
})

test('a service gets the remaining time, less the time to relay its response, whatever the client sent', async () => {
  stopClock('performance')
  const { url, requests } = await aSilentService()
  const gateway = await aGateway([url], 600)
  await fetch(`${gateway}/x`, { headers: { [TIMEOUT_HEADER]: '99999' } })
  expect(requests[0]?.headers[TIMEOUT_HEADER]).toBe(String(600 - requestTimes.relay))
})

test.each([
  ['/a', '/a'],
  ['/a?limit=1', '/a?limit=1'],
  ['/a?access-token=KEY', '/a'],
  ['/a?access-token=KEY&limit=1', '/a?limit=1'],
  ['/a?limit=1&access%2Dtoken=KEY', '/a?limit=1'],
  // The router also parses a query after `#`, so the gateway accepts the key in it.
  ['/a#access-token=KEY', '/a'],
  ['/a#access-token=KEY&limit=1', '/a?limit=1'],
])('%s is forwarded as %s', (url, forwarded) => {
  expect(withoutAccessKey(url)).toBe(forwarded)
})

test('a search term may contain question marks', () => {
  expect(withoutAccessKey('/a?search=what?&limit=1&access-token=KEY')).toBe('/a?search=what?&limit=1')
})

test('the log names the replicas that did not respond', async () => {
  const lines: string[] = []
  const ownLog = createLog('gateway', 'warn', { write: (line: string) => void lines.push(line) })
  const gateway = await aGateway(['http://127.0.0.1:1'], 1_000, ownLog)
  expect((await fetch(`${gateway}/orders`)).status).toBe(503)
  const [problem] = lines.map((line) => JSON.parse(line) as { reason: string })
  expect(problem?.reason).toContain('127.0.0.1:1: ')
})
