import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { MUTATIONS } from './mutations.ts'

/** In a process of its own: it replaces modules, the clock and chance. The full length is `npm run simulate -- --runs 20000`. */
async function simulate(...args: string[]): Promise<{ code: number | null; output: string }> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { output: await text(child.stdout), code: await ended }
}

/** States that an order goes through only because of some fault, or at the very end of its saga. */
const REACHED = [
  'cash: transmit END',
  'card: authorize transmit capture save END',
  'card:  −  because card-declined END',
  'card: authorize − authorize because order-refused END',
  'card: authorize − authorize because payment-unavailable END',
  'card: authorize − authorize because restaurant-unreachable END',
  'card: authorize transmit capture − authorize because order-refused END',
  'cash: transmit −  because order-refused END',
]

test('in 300 runs with every kind of fault nothing is lost, done twice or left open, and every end is seen', async () => {
  const { code, output } = await simulate('--runs', '300', '--seed', '1')
  expect(output).toContain('no violation')
  for (const state of REACHED) expect(output).toContain(`  ${state}: `)
  expect(code).toBe(0)
}, 600_000)

/** What was printed, without how long it took. */
const told = ({ output }: { output: string }) => output.replace(/ in [\d.]+ s$/m, '').split('\n')

test('a seed replays to the letter', async () => {
  const [one, other] = await Promise.all([
    simulate('--runs', '1', '--seed', '7'),
    simulate('--runs', '1', '--seed', '7'),
  ])
  expect(told(one).length).toBeGreaterThan(50)
  expect(told(other)).toEqual(told(one))
})

test('each planted bug is found', async () => {
  const { code, output } = await simulate('--mutations')
  const found = [...output.matchAll(/^found by seed \d+: (.*)$/gm)].map(([, name]) => name)
  expect(found).toEqual(Object.keys(MUTATIONS))
  expect(code).toBe(0)
}, 600_000)
