import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { exportLine, firstRequest } from '../../dev/seed/first-request.ts'
import { stack, type Order } from './client.ts'

/* The commands that a newcomer pastes. A shell runs them unchanged. They need curl. */

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

/** The text that `npm start` prints for pasting first. */
const pasted = () => exportLine(stack().gateway, stack().accessKey)

/** Runs a script in an empty folder. If it fails, throws with its output. */
async function shell(script: string): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'platter-readme-'))
  const { stdout } = await promisify(execFile)('bash', ['-ec', script], { cwd: folder.path })
  return stdout
}

test('the lines that npm start prints find restaurants', async () => {
  expect(await shell(`${pasted()}\n${firstRequest}`)).toContain('"name":"Aurora Slice House"')
})

test('README.md, "A first order": the commands place a card order and stream it to DELIVERED', async () => {
  const [, commands = ''] = /^## A first order$[^]*?^```sh\n([^]*?)^```$/m.exec(readme) ?? []
  // `echo` separates the responses, which have no line end.
  const [search = '', menu = '', order = '', ...statuses] = (
    await shell(`${pasted()}\n${commands.replaceAll(/\n\n/g, '\necho\n')}`)
  ).split('\n')
  expect(search).toContain('"Aurora Slice House"')
  const placed = JSON.parse(order) as Order
  expect(placed).toMatchObject({ payment: 'card', method: 'pickup', items: [{}, {}] })
  expect(menu).toContain(`{"apiKey":"${placed.items[0]?.apiKey}","name":"Cheese Slice"`)
  const data = statuses.filter((line) => line.startsWith('data: ')).map((line) => line.slice('data: '.length))
  const streamed = data.map((json) => (JSON.parse(json) as { status: string }).status)
  expect([streamed[0], streamed.at(-1)]).toEqual(['PROCESSING', 'DELIVERED'])
})
