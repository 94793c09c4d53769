import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { startStack } from '../../dev/stack.ts'
import { Generator } from './generator.ts'
import { figuresOf, type Figures } from './measure.ts'
import { anApplication, readBytes } from './orders.ts'

/*
 * `npm run slowloris -- --seconds 60 --sockets 2000`: connections that say nothing, a head or a body a byte at a time,
 * or read an answer a little at a time, each opened again when it is closed. Do other clients notice?
 */

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, sockets: { type: 'string', default: '2000' } },
})
const SECONDS = Number(values.seconds)
const SOCKETS = Number(values.sockets)
const RATE = 50
/** Other clients may take a fifth longer; some milliseconds more are the machine's. */
const GOAL = { times: 1.2, plusMs: 5 }

const say = (line: string) => process.stdout.write(`${line}\n`)

const stack = await startStack({
  runDirectory: new URL('../../.run/slowloris', import.meta.url).pathname,
  fresh: true,
  // All of them come from this machine.
  env: { gateway: { RATE_LIMIT_REQUESTS: '1000000', CONNECTIONS_PER_ADDRESS: String(SOCKETS + 1_000) } },
})
const generator = new Generator(stack.gateway)
const key = await anApplication(stack, 'slowloris')
const read = readBytes('/publicapi/v1/restaurant/search?limit=1', key)
const { hostname, port } = new URL(stack.gateway)

const descriptors = (): number =>
  Math.max(...stack.pids('gateway').map((pid) => readdirSync(`/proc/${pid}/fd`).length))

const ATTACKS: readonly { start: string; goesOn: string; reads: boolean }[] = [
  { start: '', goesOn: '', reads: true },
  { start: 'GET / HTTP/1.1\r\nhost: x\r\n', goesOn: 'x: y\r\n', reads: true },
  {
    start: `POST /publicapi/v1/send-order HTTP/1.1\r\nhost: x\r\nx-access-token: ${key}\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n`,
    goesOn: ' ',
    reads: true,
  },
  // More answers than a connection's buffers hold, of which none is taken.
  { start: readBytes('/openapi.json', key).repeat(20), goesOn: '', reads: false },
]

let closed = 0
const open = new Set<Socket>()
const timers = new Set<NodeJS.Timeout>()
let isOver = false

function attack(number: number): void {
  const { start, goesOn, reads } = ATTACKS[number % ATTACKS.length] ?? { start: '', goesOn: '', reads: true }
  const socket = connect(Number(port), hostname)
  open.add(socket)
  if (reads) socket.resume()
  socket.write(start)
  const timer = setInterval(() => goesOn !== '' && socket.write(goesOn), 1_000)
  timers.add(timer)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    closed += 1
    clearInterval(timer)
    timers.delete(timer)
    open.delete(socket)
    if (!isOver) setTimeout(() => attack(number), 100)
  })
}

async function measure(name: string): Promise<Figures> {
  const outcomes = await generator.run(SECONDS, [{ name: 'others', rate: RATE, bytes: [read] }])
  const figures = Object.values(outcomes).map((outcome) => figuresOf(outcome, SECONDS))[0]
  if (!figures) throw new Error('nothing was measured')
  say(`--- ${name}: ${JSON.stringify(figures)}; descriptors ${descriptors()}`)
  return figures
}

const goals: [met: boolean, goal: string][] = []
try {
  await generator.run(5, [{ name: 'warm', rate: RATE, bytes: [read] }])
  const before = await measure('alone')
  for (let number = 0; number < SOCKETS; number++) attack(number)
  const during = await measure(`beside ${SOCKETS} slow connections`)
  const most = before.accepted.p99 * GOAL.times + GOAL.plusMs
  goals.push(
    [during.accepted.count === during.sent, `${during.accepted.count} of ${during.sent} answered`],
    [during.accepted.p99 <= most, `p99 ${during.accepted.p99} ms, alone ${before.accepted.p99} ms`],
    [closed > 0, `${closed} slow connections were closed`],
    [descriptors() < SOCKETS + 500, `${descriptors()} descriptors`],
  )
} finally {
  isOver = true
  for (const timer of timers) clearInterval(timer)
  for (const socket of open) socket.destroy()
  generator.close()
  await stack.stop()
}
for (const [met, goal] of goals) say(`${met ? 'met   ' : 'MISSED'} ${goal}`)
process.exitCode = goals.length > 0 && goals.every(([met]) => met) ? 0 : 1
