import { expect, test } from 'vitest'
import { randomOf } from '../chaos/random.ts'
import { stack } from './client.ts'
import { exchange } from './malformed/exchange.ts'
import { complaint } from './malformed/judge.ts'
import { makeRequest } from './malformed/requests.ts'
import { aWorld } from './malformed/world.ts'

/** MALFORMED=10000 is the long form. A run is told by its seed: MALFORMED_SEED=… makes the same requests again. */
const COUNT = Number(process.env['MALFORMED'] ?? 1_000)
const SEED = Number(process.env['MALFORMED_SEED'] ?? 20_261_120)
/** Sign-ins and registrations cost a tenth of a second of a core each. */
const AT_ONCE = 4

const inWords = (statuses: ReadonlyMap<number, number>): string =>
  [...statuses]
    .toSorted(([one], [other]) => one - other)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')

test(
  `${COUNT} malformed requests (seed ${SEED}): no 5xx, no answer late, every refusal a problem of the catalogue`,
  { timeout: 60_000 + COUNT * 60 },
  async () => {
    const random = randomOf(SEED)
    const world = await aWorld()
    const statuses = new Map<number, number>()
    const complaints: string[] = []
    let slowest = 0
    let made = 0
    async function client() {
      while (made < COUNT && complaints.length < 50) {
        made += 1
        const number = made
        const request = makeRequest(random, world)
        const answer = await exchange(stack().gateway, request.bytes, request)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        slowest = Math.max(slowest, answer.ms)
        const wrong = complaint(answer, request.isHead)
        if (wrong !== null) {
          const sent = JSON.stringify(request.bytes.toString('latin1')).replaceAll(/(.{1,8})\1{9,}/g, '$1…')
          complaints.push(`${wrong}\n  no. ${number}, ${request.operation}: ${sent.slice(0, 1_500)}`)
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, client))
    process.stderr.write(`slowest answer: ${Math.round(slowest)} ms; ${inWords(statuses)}\n`)
    expect(complaints.join('\n')).toBe('')
    // Otherwise nothing but the outermost checks would have been tried.
    expect(statuses.get(200)).toBeGreaterThan(COUNT / 20)
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 422]))
  },
)
