import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { request, type IncomingMessage } from 'node:http'
import { startStack } from './stack.ts'

/*
 * Measures many open streams: the memory of gateway and orders, and the latency of another request meanwhile.
 * `node dev/measure-streams.ts 1000`. The design is docs/decisions/0010-event-stream-positions.md.
 */

const STREAMS = Number(process.argv[2] ?? 1_000)
const AURORA = 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70'

const stack = await startStack({
  runDirectory: new URL('../.run/measure-streams', import.meta.url).pathname,
  fresh: true,
  env: { simulators: { STEP_MS: '3600000' }, gateway: { RATE_LIMIT_REQUESTS: '1000000' } },
})
const { gateway } = stack
const headers = { 'x-access-token': stack.file.accessKey, 'content-type': 'application/json' }

const menu = (await (
  await fetch(`${gateway}/publicapi/v1/restaurant/${AURORA}/menu?includeCustomizations=true`, { headers })
).json()) as { items: { apiKey: string; customizationGroups: { minCount: number }[] }[] }[]
const item = menu
  .flatMap(({ items }) => items)
  .find(({ customizationGroups }) => customizationGroups.every(({ minCount }) => minCount === 0))

async function aNewOrder(): Promise<string> {
  const answer = await fetch(`${gateway}/publicapi/v1/send-order`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      restaurantApiKey: AURORA,
      items: [{ apiKey: item?.apiKey }, { apiKey: item?.apiKey }],
      method: 'pickup',
      payment: 'cash',
      recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
    }),
  })
  return ((await answer.json()) as { apiKey: string }).apiKey
}

/** MiB that each process has in memory. */
const memory = () =>
  Object.fromEntries(
    (['gateway', 'orders'] as const).map((name) => [
      name,
      stack.pids(name).map((pid) => {
        const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
        return Math.round(Number(kib) / 102.4) / 10
      }),
    ]),
  )

async function latency(order: string): Promise<{ p50: number; p99: number }> {
  const times: number[] = []
  for (let time = 0; time < 2_000; time++) {
    const started = performance.now()
    await (await fetch(`${gateway}/publicapi/v1/order/${order}`, { headers })).arrayBuffer()
    times.push(performance.now() - started)
  }
  times.sort((one, other) => one - other)
  const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 100) / 100
  return { p50: at(0.5), p99: at(0.99) }
}

const open = (order: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(`${gateway}/publicapi/v1/order/${order}/statuses`, {
      agent: false,
      headers: { ...headers, accept: 'text/event-stream' },
    })
    sent
      .on('response', (answer) => resolve(answer.resume()))
      .on('error', reject)
      .end()
  })

const orders: string[] = []
for (let number = 0; number < Math.min(STREAMS, 200); number++) orders.push(await aNewOrder())
const [first = ''] = orders
// Until the heaps have grown to what requests alone make of them.
for (let round = 0; round < 6; round++) await latency(first)
console.log('without streams', memory(), await latency(first))
const streams: IncomingMessage[] = []
for (let number = 0; number < STREAMS; number++)
  streams.push(await open(orders[number % orders.length] ?? ''))
console.log(`${STREAMS} opened`, memory())
await wait(20_000)
console.log(`${STREAMS} after their first comment`, memory(), await latency(first), await latency(first))
for (const stream of streams) stream.destroy()
await wait(3_000)
console.log('closed again', memory(), await latency(first))
await stack.stop()
