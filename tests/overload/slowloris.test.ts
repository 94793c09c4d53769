import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { test } from 'vitest'
import { until } from '../../dev/process/wait.ts'
import type { Stack } from '../../dev/stack.ts'
import { figuresOf } from '../support/load/figures.ts'
import { requestOf } from '../support/load/generator.ts'
import { residentOf } from '../support/processes.ts'
import { print } from '../support/stack.ts'
import { expectAtLeast, expectAtMost, expectUndisturbed, startTool } from './tool.ts'

/*
 * `ROUNDS=3 SECONDS=20 SOCKETS=2000 GREEDY=10 npm run slowloris`: slow connections. They send no bytes, send a head or a
 * body byte by byte, or do not read the response. Each connection is opened again when the gateway closes it. Other clients must
 * not be slowed.
 */

const env = process.env
const ROUNDS = Number(env['ROUNDS'] ?? 3)
/** The length of each half of a round. It exceeds 15 s, the longest time of a request. */
const SECONDS = Number(env['SECONDS'] ?? 20)
const SOCKETS = Number(env['SOCKETS'] ?? 2_000)
/** The percentage of connections that send many requests and read no response. */
const GREEDY = Number(env['GREEDY'] ?? 10)
const RATE = 50
/** Requests of other clients may take a fifth longer, plus 5 ms for the machine. */
const GOAL = { times: 1.2, plusMs: 5, quantile: 'p99' } as const
/** The memory limit of a gateway in deploy/kubernetes. */
const MOST_MIB = 320

const descriptorsOf = (stack: Stack) =>
  Math.max(...stack.pids('gateway').map((pid) => readdirSync(`/proc/${pid}/fd`).length))
const memoryOf = (stack: Stack) => residentOf({ gateway: () => stack.pids('gateway') })['gateway'] ?? 0

/** Pages of the kernel's memory for TCP: in use, and the threshold at which the kernel throttles (tcp(7), `tcp_mem`). */
function tcpMemory(): { used: number; pressure: number } {
  const [, used = '0'] = /^TCP:.* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8')) ?? []
  const [, pressure = '0'] = readFileSync('/proc/sys/net/ipv4/tcp_mem', 'utf8').split('\t')
  return { used: Number(used), pressure: Number(pressure) }
}

type Attack = { start: string; everySecond: string; reads: boolean }

/** Slow connections, which stay open from the first call of `open` until `close`. */
class Attackers {
  closedByGateway = 0
  readonly #sockets = new Set<Socket>()
  readonly #gateway: URL
  readonly #attacks: readonly Attack[]
  #isOver = false

  constructor(gateway: string, attacks: readonly Attack[]) {
    this.#gateway = new URL(gateway)
    this.#attacks = attacks
  }

  /** Opens 400 connections a second, because a simultaneous opening of all would be another attack. */
  async open(): Promise<void> {
    this.#isOver = false
    for (let number = 0; number < SOCKETS; number++) {
      this.#attack(number)
      if (number % 20 === 0) await wait(50)
    }
  }

  close(): void {
    this.#isOver = true
    for (const socket of this.#sockets) socket.destroy()
  }

  /**
   * Over loopback, with segments of 64 KiB, a connection that reads nothing uses 3 MB of the kernel's memory for TCP. That is a
   * multiple of its use over a network. 500 such connections exceed `net.ipv4.tcp_mem`. Then every connection of the machine waits
   * for memory, including connections to the database. The p99 is then 3 s, with the gateway at a fifth of a core. `GREEDY`
   * limits their share.
   */
  #attack(number: number): void {
    const kind = number % 100 < GREEDY ? 3 : number % 3
    const { start, everySecond, reads } = this.#attacks[kind]!
    const socket = connect(Number(this.#gateway.port), this.#gateway.hostname)
    this.#sockets.add(socket)
    if (reads) socket.resume()
    socket.write(start)
    const timer = setInterval(() => everySecond !== '' && socket.write(everySecond), 1_000)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearInterval(timer)
      this.#sockets.delete(socket)
      if (this.#isOver) return
      this.closedByGateway += 1
      setTimeout(() => !this.#isOver && this.#attack(number), 100)
    })
  }
}

const attacksOf = (key: string): readonly Attack[] => [
  { start: '', everySecond: '', reads: true },
  { start: 'GET / HTTP/1.1\r\nhost: x\r\n', everySecond: 'x: y\r\n', reads: true },
  {
    start:
      'POST /publicapi/v1/send-order HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
      `x-access-token: ${key}\r\ncontent-length: 60000\r\n\r\n`,
    everySecond: ' ',
    reads: true,
  },
  // Five responses of 1.3 MB, more than the buffers of a connection can store (3 MB). The script needs no access key.
  { start: 'GET /docs/reference.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(5), everySecond: '', reads: false },
]

const gateway = { RATE_LIMIT_REQUESTS: '1000000', CONNECTIONS_PER_ADDRESS: String(SOCKETS + 1_000) }

test('slow connections do not slow other clients down, and the gateway closes them', async () => {
  await using tool = await startTool('slowloris', { gateway })
  const { stack } = tool
  const { accessKey: key } = await tool.api.newApplication('slowloris')
  const requests = [requestOf({ method: 'GET', path: '/publicapi/v1/restaurant/search?limit=1', key })]
  const attackers = new Attackers(stack.gateway, attacksOf(key))
  const most = { descriptors: 0, mib: 0, tcp: 0 }
  const send = (seconds: number) =>
    tool.send({
      connections: 50,
      sources: [{ name: 'others', load: { perSecond: RATE, seconds }, requests }],
    })
  const attacked = (isAttacked: boolean) =>
    until(() => descriptorsOf(stack) > SOCKETS / 2 === isAttacked, {
      what: isAttacked ? 'Accepting the slow connections' : 'Closing the slow connections',
      withinMs: 60_000,
    })
  await send(5)
  await expectUndisturbed(ROUNDS, GOAL, async (round, isAttacked) => {
    if (isAttacked) {
      await attackers.open()
      await attacked(true)
    }
    const [{ others }, shares] = await send(SECONDS)
    const [descriptors, mib] = [descriptorsOf(stack), memoryOf(stack)]
    print(
      `${round} ${isAttacked ? `beside ${SOCKETS} slow connections` : 'alone'}: ${JSON.stringify(figuresOf([others!], SECONDS))}; descriptors ${descriptors}, ${mib} MiB\n  ${shares}`,
    )
    if (isAttacked) {
      most.descriptors = Math.max(most.descriptors, descriptors)
      most.mib = Math.max(most.mib, mib)
      most.tcp = Math.max(most.tcp, tcpMemory().used)
      attackers.close()
      await attacked(false)
    }
    return others!
  })
  expectAtLeast('slow connections closed by the gateway', attackers.closedByGateway, 1)
  expectAtMost('descriptors', most.descriptors, SOCKETS + 500)
  expectAtMost('MiB', most.mib, MOST_MIB)
  // Above this number of pages, the kernel throttles.
  expectAtMost("pages of the kernel's memory for TCP", most.tcp, tcpMemory().pressure)
})
