import { requestTimes } from '@platter/contracts'
import {
  createApp,
  createLog,
  Deadline,
  overloaded,
  Permit,
  PRINCIPAL_HEADER,
  readBytes,
  Replicas,
  TIMEOUT_HEADER,
  type App,
} from '@platter/kit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { passOn, withoutAccessKey } from '#/pass-on.ts'

const log = createLog('test', 'silent')

/** Listens until the end of the test. */
async function listen(app: App): Promise<string> {
  onTestFinished(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return app.listeningOrigin
}

/** A gateway in front of these services, whose requests have so many milliseconds. */
async function aGateway(urls: string[], deadlineMs: number): Promise<string> {
  const replicas = new Replicas(urls)
  onTestFinished(() => replicas.close())
  const gateway = createApp(log)
  readBytes(gateway)
  gateway.all('/*', (request, reply) =>
    passOn(replicas, request, reply, {
      method: request.method,
      headers: {},
      deadline: Deadline.in(deadlineMs),
    }),
  )
  return listen(gateway)
}

/** These move only when the test says so, until its end. */
function stopClock(...what: ('performance' | 'setTimeout' | 'clearTimeout')[]): void {
  vi.useFakeTimers({ toFake: what })
  onTestFinished(() => void vi.useRealTimers())
}

async function aSilentService() {
  const asked: { headers: Record<string, unknown>; isClosed: boolean }[] = []
  const service = createApp(log)
  service.all('/*', ({ headers, raw }, reply) => {
    const request = { headers, isClosed: false }
    asked.push(request)
    raw.socket.once('close', () => (request.isClosed = true))
    return reply.hijack()
  })
  return { url: await listen(service), asked }
}

test.each(['GET', 'POST'])(
  'a %s without a response is 503 at its deadline, and the request to the service is closed',
  async (method) => {
    stopClock('performance', 'setTimeout', 'clearTimeout')
    const [one, other] = [await aSilentService(), await aSilentService()]
    const asked = () => [...one.asked, ...other.asked]
    const gateway = await aGateway([one.url, other.url], 400)
    const answering = fetch(`${gateway}/x`, { method })
    await expect.poll(asked).toHaveLength(1)
    vi.advanceTimersByTime(399)
    await new Promise(setImmediate)
    expect(asked().map(({ isClosed }) => isClosed)).toEqual([false])
    vi.advanceTimersByTime(1)
    const answer = await answering
    expect(answer.status).toBe(503)
    const { detail } = (await answer.json()) as { detail: string }
    expect(detail.includes('the outcome is unknown')).toBe(method === 'POST')
    await expect.poll(() => asked().map(({ isClosed }) => isClosed)).toEqual([true])
  },
)

test('the gateway receives the overload mark of a service, and the client does not', async () => {
  const service = createApp(log)
  let isBusy = true
  service.get('/x', async () => {
    if (isBusy) throw overloaded()
    return {}
  })
  const replicas = new Replicas([await listen(service)])
  onTestFinished(() => replicas.close())
  const learned: boolean[] = []
  const gateway = createApp(log)
  gateway.get('/x', (request, reply) =>
    passOn(replicas, request, reply, {
      method: 'GET',
      headers: { [PRINCIPAL_HEADER]: 'signed' },
      deadline: Deadline.in(requestTimes.deadline),
      permit: new Permit(
        () => undefined,
        (isOverloaded) => void learned.push(isOverloaded),
      ),
    }),
  )
  const url = `${await listen(gateway)}/x`
  const rejected = await fetch(url)
  isBusy = false
  const accepted = await fetch(url)
  expect([rejected.status, accepted.status]).toEqual([503, 200])
  expect(learned).toEqual([true, false])
  expect(rejected.headers.get('retry-after')).toMatch(/^[123]$/)
  expect([...rejected.headers.keys()].filter((name) => name.startsWith('x-platter'))).toEqual([])
})

test('a service gets the remaining time, less the time to relay its response, whatever the client sent', async () => {
  stopClock('performance')
  const { url, asked } = await aSilentService()
  const gateway = await aGateway([url], 600)
  await fetch(`${gateway}/x`, { headers: { [TIMEOUT_HEADER]: '99999' } })
  expect(asked[0]?.headers[TIMEOUT_HEADER]).toBe(String(600 - requestTimes.relay))
})

test.each([
  ['/a', '/a'],
  ['/a?limit=1', '/a?limit=1'],
  ['/a?access-token=KEY', '/a'],
  ['/a?access-token=KEY&limit=1', '/a?limit=1'],
  ['/a?limit=1&access%2Dtoken=KEY', '/a?limit=1'],
  // The router reads a query behind a fragment's sign as well, and the key in it is accepted.
  ['/a#access-token=KEY', '/a'],
  ['/a#access-token=KEY&limit=1', '/a?limit=1'],
])('%s is forwarded as %s', (url, passedOn) => {
  expect(withoutAccessKey(url)).toBe(passedOn)
})

test('a search term may contain question marks', () => {
  expect(withoutAccessKey('/a?search=what?&limit=1&access-token=KEY')).toBe('/a?search=what?&limit=1')
})
