import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { exportLine, firstRequest } from '../../dev/seed/first-request.ts'
import { eventually, stack, statusesOf, type Order } from './client.ts'

/* The commands that a newcomer pastes, run by a shell as they are written. They need curl. */

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

/** What `npm start` prints to be pasted first. */
const pasted = () => exportLine(stack().gateway, stack().accessKey)

/** Runs a script in an empty folder. Throws with what it printed when it fails. */
async function shell(script: string): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'platter-readme-'))
  const { stdout } = await promisify(execFile)('bash', ['-ec', script], { cwd: folder.path })
  return stdout
}

test('the lines that npm start prints find restaurants', async () => {
  expect(await shell(`${pasted()}\n${firstRequest}`)).toContain('"name":"Aurora Slice House"')
})

test('the commands of "A first order" in README.md find a restaurant, order from its menu by card and follow the order', async () => {
  const [, commands = ''] = /^## A first order$[^]*?^```sh\n([^]*?)^```$/m.exec(readme) ?? []
  // Between the answers, which do not end their line.
  const [search = '', menu = '', order = '', statuses = ''] = (
    await shell(`${pasted()}\n${commands.replaceAll(/\n\n/g, '\necho\n')}`)
  ).split('\n')
  expect(search).toContain('"Aurora Slice House"')
  const placed = JSON.parse(order) as Order
  expect(placed).toMatchObject({ payment: 'card', method: 'pickup', items: [{}, {}] })
  expect(menu).toContain(`{"apiKey":"${placed.items[0]?.apiKey}","name":"Cheese Slice"`)
  expect(statuses).toContain('"status":"PROCESSING"')
  const all = await eventually(
    () => statusesOf(placed.apiKey ?? ''),
    ({ length }) => length > 2,
  )
  expect(all.length).toBeGreaterThan(2)
})
