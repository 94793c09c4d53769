/**
 * `node dev/measure-telemetry.ts [orders]`: what telemetry costs. Three stacks run side by side, without telemetry, at
 * the default sampling and with every trace kept, and take the same card orders in turns, 16 at a time: whatever else
 * the machine does meets all three alike. Prints the CPU of the services for an order, user and system time by
 * /proc. The figures are in docs/decisions/0014-telemetry.md.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { plainReporter } from './progress.ts'
import { startStack, type Stack } from './stack.ts'
import { serviceNames } from './stack/services.ts'

const orders = Number(process.argv[2] ?? 2_000)
const atOnce = 16
const aurora = 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70'
/** Ticks of /proc are hundredths of a second on every Linux that we know. */
const tickMs = 10

const received = { requests: 0, bytes: 0 }
const receiver = createServer((request, response) => {
  received.requests += 1
  request.on('data', (chunk: Buffer) => (received.bytes += chunk.length))
  request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
})
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

const modes: Record<string, Record<string, string>> = {
  off: {},
  'default (5 %)': {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.05',
  },
  'every trace': { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: 'parentbased_always_on' },
}
type Measured = { mode: string; stack: Stack; order: object }

async function start([mode, variables]: [string, Record<string, string>], at: number): Promise<Measured> {
  const env = Object.fromEntries(serviceNames.map((name) => [name, variables]))
  const stack = await startStack({
    runDirectory: join(import.meta.dirname, `../.run/measure-${at}`),
    reporter: plainReporter(() => undefined),
    fresh: true,
    env: { ...env, gateway: { ...variables, RATE_LIMIT_REQUESTS: '1000000' } },
  })
  return { mode, stack, order: await anOrder(stack) }
}

async function measure(): Promise<void> {
  const all: Measured[] = []
  try {
    for (const [at, mode] of Object.entries(modes).entries()) all.push(await start(mode, at))
    await send(all, Math.ceil(orders / 4))
    Object.assign(received, { requests: 0, bytes: 0 })
    const before = all.map(({ stack }) => cpuOf(stack))
    const from = performance.now()
    await send(all, orders)
    const seconds = (performance.now() - from) / 1_000
    for (const [at, { mode, stack }] of all.entries()) tell(mode, stack, before[at] ?? cpuOf(stack))
    console.log(
      `${Math.round((all.length * orders) / seconds)} orders/s in all, ${received.bytes} bytes sent`,
    )
  } finally {
    await Promise.all(all.map(({ stack }) => stack.stop()))
  }
}

type Cpu = Record<(typeof serviceNames)[number], number>

function tell(mode: string, stack: Stack, before: Cpu): void {
  const after = cpuOf(stack)
  const each = serviceNames.map((name) => ({ name, ms: (after[name] - before[name]) / orders }))
  const sum = each.reduce((total, { ms }) => total + ms, 0)
  const apart = each.map(({ name, ms }) => `${name} ${ms.toFixed(2)}`).join(', ')
  const memory = Math.round(memoryOf(stack) / serviceNames.length)
  console.log(`${mode}: ${sum.toFixed(2)} ms an order (${apart}); memory ${memory} MB a service`)
}

/** So many to each stack. */
async function send(all: readonly Measured[], count: number): Promise<void> {
  let left = count
  const client = async () => {
    while (left-- > 0) {
      for (const { stack, order } of all) {
        const answer = await ask(stack, 'send-order', order)
        if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
        await answer.arrayBuffer()
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
}

async function anOrder(stack: Stack): Promise<object> {
  const menu = (await (await ask(stack, `restaurant/${aurora}/menu?includeCustomizations=true`)).json()) as {
    items: { apiKey: string; customizationGroups: { minCount: number }[] }[]
  }[]
  const plain = menu
    .flatMap(({ items }) => items)
    .find(({ customizationGroups }) => customizationGroups.every(({ minCount }) => minCount === 0))
  return {
    restaurantApiKey: aurora,
    items: [{ apiKey: plain?.apiKey }, { apiKey: plain?.apiKey }],
    method: 'pickup',
    payment: 'card',
    card: {
      apiKey: null,
      cardholderName: 'Maria Lindqvist',
      cardholderStreetAddress: '316 W Washington Ave',
      cardholderZip: '53703',
      cvv: '314',
      cardNumber: '4242424242424242',
      expirationMonth: '09',
      expirationYear: '31',
    },
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
  }
}

const ask = ({ gateway, seed }: Stack, path: string, body?: object): Promise<Response> =>
  fetch(`${gateway}/publicapi/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-access-token': seed.accessKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

/** Milliseconds of CPU that each service has used so far. */
function cpuOf(stack: Stack): Cpu {
  const used = serviceNames.map((name) => [name, stack.pids(name).reduce((sum, pid) => sum + cpu(pid), 0)])
  return Object.fromEntries(used) as Cpu
}

function cpu(pid: number): number {
  // The program's name, in brackets, may have spaces; utime and stime are fields 14 and 15.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

function memoryOf(stack: Stack): number {
  const kilobytes = serviceNames
    .flatMap((name) => stack.pids(name))
    .map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]))
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1_024
}

await measure()
process.exit(0)
