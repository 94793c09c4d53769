import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startStack } from '../../dev/stack.ts'
import { residentOf } from '../bench/processes.ts'
import { cpuShares } from './cpu.ts'
import { Generator } from './generator.ts'
import { judge, say, type Goal } from './goals.ts'
import type { Outcome } from './load.ts'
import { asOne, figuresOf, secondBySecond } from './measure.ts'
import { anApplication, readBytes } from './orders.ts'

/*
 * `npm run slowloris -- --rounds 3 --seconds 20 --sockets 2000 --greedy 10`: connections that say nothing, a head or a body a byte at
 * a time, or do not read what they asked for, each opened again when it is closed. Do other clients notice? They are
 * timed with and without in turn, so that whatever else the machine does is in both.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '20' },
    sockets: { type: 'string', default: '2000' },
    /** Of a hundred: those that ask for much and read nothing. */
    greedy: { type: 'string', default: '10' },
  },
})
const ROUNDS = Number(values.rounds)
/** Of each half of a round: longer than the 15 s that a body may take. */
const SECONDS = Number(values.seconds)
const ALL_S = ROUNDS * SECONDS
const SOCKETS = Number(values.sockets)
const GREEDY = Number(values.greedy)
const RATE = 50
/** Other clients may take a fifth longer; some milliseconds more are the machine's. */
const GOAL = { times: 1.2, plusMs: 5 }
/** Of a gateway, as deploy/kubernetes limits it. */
const MOST_MIB = 320

const stack = await startStack({
  runDirectory: new URL('../../.run/slowloris', import.meta.url).pathname,
  fresh: true,
  // All of them come from this machine.
  env: { gateway: { RATE_LIMIT_REQUESTS: '1000000', CONNECTIONS_PER_ADDRESS: String(SOCKETS + 1_000) } },
})
const generator = new Generator(stack.gateway, 50)
const key = await anApplication(stack, 'slowloris')
const read = readBytes('/publicapi/v1/restaurant/search?limit=1', key)
const { hostname, port } = new URL(stack.gateway)

/** Of the kernel's memory for TCP, in pages, what is used, and from where on it holds back. */
function tcpMemory(): { used: number; pressure: number } {
  const [, used = '0'] = /^TCP:.* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8')) ?? []
  const [, pressure = '0'] = readFileSync('/proc/sys/net/ipv4/tcp_mem', 'utf8').split('\t')
  return { used: Number(used), pressure: Number(pressure) }
}

const most = (of: (pid: number) => number): number => Math.max(...stack.pids('gateway').map(of))
const descriptors = () => most((pid) => readdirSync(`/proc/${pid}/fd`).length)
const residentMiB = () => residentOf({ gateway: () => stack.pids('gateway') })['gateway'] ?? 0

/**
 * Some ask for much and read nothing. Over loopback, whose segments are of 64 KiB, each of those holds 3 MB of the
 * kernel's memory for TCP, a multiple of what it can over a network: 500 of them are past `net.ipv4.tcp_mem`, and then every
 * connection of the machine, the database's as well, waits for memory (p99 3 s, with the gateway at a fifth of a core).
 */
const kindOf = (number: number) => ATTACKS[number % 100 < GREEDY ? 3 : number % 3]

const ATTACKS: readonly { start: string; goesOn: string; reads: boolean }[] = [
  { start: '', goesOn: '', reads: true },
  { start: 'GET / HTTP/1.1\r\nhost: x\r\n', goesOn: 'x: y\r\n', reads: true },
  {
    start: `POST /publicapi/v1/send-order HTTP/1.1\r\nhost: x\r\nx-access-token: ${key}\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n`,
    goesOn: ' ',
    reads: true,
  },
  // 4 MB: more than a connection's buffers hold, of which nothing is taken, and nobody needs an access key to ask for it.
  { start: readBytes('/docs/reference.js', key), goesOn: '', reads: false },
]

let closed = 0
const open = new Set<Socket>()

/** One slow connection, again and again until the signal. */
function attack(number: number, over: AbortSignal): void {
  const { start, goesOn, reads } = kindOf(number) ?? { start: '', goesOn: '', reads: true }
  const socket = connect(Number(port), hostname)
  open.add(socket)
  if (reads) socket.resume()
  socket.write(start)
  const timer = setInterval(() => goesOn !== '' && socket.write(goesOn), 1_000)
  const leave = () => socket.destroy()
  over.addEventListener('abort', leave, { once: true })
  socket.on('error', leave)
  socket.on('close', () => {
    clearInterval(timer)
    over.removeEventListener('abort', leave)
    open.delete(socket)
    if (over.aborted) return
    closed += 1
    setTimeout(() => !over.aborted && attack(number, over), 100)
  })
}

/** Waits until the gateway has more, or fewer, connections than half of the slow ones. */
async function until(isMore: boolean): Promise<void> {
  while (descriptors() > SOCKETS / 2 !== isMore) await wait(50)
}

async function measure(name: string, into: Outcome[]): Promise<void> {
  const [{ others }, cpu] = await cpuShares(stack, [generator.pid], () =>
    generator.run(SECONDS, [{ name: 'others', rate: RATE, bytes: [read] }]),
  )
  if (!others) throw new Error('nothing was measured')
  into.push(others)
  const { accepted } = figuresOf(others, SECONDS)
  say(
    `${name}: p50 ${accepted.p50} ms, p99 ${accepted.p99} ms; descriptors ${descriptors()}, ${residentMiB()} MiB\n  ${cpu}\n  p99 by second: ${secondBySecond(others)}`,
  )
}

/** A crowd that comes at one moment is a flood, which is another test's. */
async function attackOneByOne(over: AbortSignal): Promise<void> {
  for (let number = 0; number < SOCKETS; number++) {
    attack(number, over)
    if (number % 20 === 0) await wait(50)
  }
}

const goals: Goal[] = []
const [alone, beside]: [Outcome[], Outcome[]] = [[], []]
let [mostDescriptors, mostMiB, mostTcp] = [0, 0, 0]
try {
  await generator.run(5, [{ name: 'warm', rate: RATE, bytes: [read] }])
  for (let round = 1; round <= ROUNDS; round++) {
    await measure(`${round} alone`, alone)
    const over = new AbortController()
    await attackOneByOne(over.signal)
    await until(true)
    await measure(`${round} beside ${SOCKETS} slow connections`, beside)
    mostDescriptors = Math.max(mostDescriptors, descriptors())
    mostMiB = Math.max(mostMiB, residentMiB())
    mostTcp = Math.max(mostTcp, tcpMemory().used)
    over.abort()
    await until(false)
  }
  const [before, during] = [figuresOf(asOne(alone), ALL_S), figuresOf(asOne(beside), ALL_S)]
  goals.push(
    [during.accepted.count === during.sent, `${during.accepted.count} of ${during.sent} answered`],
    [
      during.accepted.p99 <= before.accepted.p99 * GOAL.times + GOAL.plusMs,
      `p99 ${during.accepted.p99} ms, alone ${before.accepted.p99} ms`,
    ],
    [closed > 0, `${closed} slow connections were closed`],
    [mostDescriptors < SOCKETS + 500, `${mostDescriptors} descriptors`],
    [mostMiB < MOST_MIB, `${mostMiB} MiB`],
    [
      mostTcp < tcpMemory().pressure,
      `${mostTcp} pages of the kernel's memory for TCP, at most ${tcpMemory().pressure}: else it is the kernel that holds back`,
    ],
  )
} finally {
  for (const socket of open) socket.destroy()
  generator.close()
  await stack.stop()
}
judge(goals)
