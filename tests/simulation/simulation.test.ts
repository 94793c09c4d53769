import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { MUTATIONS } from './mutations.ts'

/**
 * Runs in a separate process, because the simulation replaces clocks and random sources. Full length: `npm run simulate -- --runs
 * 20000`.
 */
async function simulate(...args: string[]): Promise<{ code: number | null; output: string }> {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { output: await text(child.stdout), code: await ended }
}

/** Saga states after a fault, and final states. */
const REACHED = [
  'cash: transmit END',
  'card: authorize transmit capture save END',
  'card:  −  because card-declined END',
  'card: authorize − authorize because order-refused END',
  'card: authorize − authorize because payment-unavailable END',
  'card: authorize − authorize because restaurant-unreachable END',
  'card: authorize transmit capture − authorize because order-refused END',
  'cash: transmit −  because order-refused END',
  'card: authorize transmit capture refund',
  'card: authorize transmit capture − authorize because order-cancelled END',
  'card: authorize − authorize because order-cancelled END',
  'cash: transmit −  because order-cancelled END',
  'card: at the bank',
  'card: authorize − authorize because card-declined END',
  'card: authorize − authorize because restaurant-closed END',
]

test('300 faulty runs reach all states, lose no order, repeat no effect, leave no saga open', async () => {
  const { code, output } = await simulate('--runs', '300', '--seed', '1')
  expect(output).toContain('no violation')
  for (const state of REACHED) expect(output).toContain(`  ${state}: `)
  expect(code).toBe(0)
}, 600_000)

/** The printed lines without the duration. */
const linesOf = ({ output }: { output: string }) => output.replace(/ in [\d.]+ s$/m, '').split('\n')

test('a seed gives the same history in each process', async () => {
  const [one, other] = await Promise.all([
    simulate('--runs', '1', '--seed', '7'),
    simulate('--runs', '1', '--seed', '7'),
  ])
  expect(linesOf(one).length).toBeGreaterThan(50)
  expect(linesOf(other)).toEqual(linesOf(one))
})

test('finds each planted fault', async () => {
  const { code, output } = await simulate('--mutations')
  const found = [...output.matchAll(/^found by seed \d+: (.*)$/gm)].map(([, name]) => name)
  expect(found).toEqual(MUTATIONS.map(({ name }) => name))
  expect(code).toBe(0)
}, 600_000)
