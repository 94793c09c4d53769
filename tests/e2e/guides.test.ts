import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { exportLine } from '../../dev/seed/first-request.ts'
import { post, stack, type ProblemBody } from './client.ts'

/* The guides for app developers. A shell runs their commands unchanged. They need curl. */

const guide = (name: string) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')

/** Runs all shell commands of a guide in an empty folder. If one fails, throws with its output. */
async function run(name: string): Promise<string> {
  const commands = [...guide(name).matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'platter-guide-'))
  const script = [exportLine(stack().gateway, stack().accessKey), ...commands].join('\necho\n')
  const { stdout } = await promisify(execFile)('bash', ['-ec', script], { cwd: folder.path })
  return stdout
}

test('the commands of docs/getting-started.md search, read a menu, validate and send orders, two by card', async () => {
  const printed = await run('getting-started.md')
  expect(printed).toContain('"name":"Aurora Slice House"')
  expect(printed).toContain('"customizationGroups"')
  expect(printed).toContain('"apiKey":null')
  expect(printed).toMatch(/"payment":"card",.*"lastFour":"4242".*"status":"AWAITING_PREPARATION"/)
  expect(printed).toContain('"status":"DELIVERED"')
})

test('the commands of docs/idempotency.md replay the order, and find it by its key', async () => {
  const printed = await run('idempotency.md')
  expect(printed).toMatch(/^idempotent-replayed: true/im)
  expect(printed).toContain('"restaurantApiKey":"f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70"')
})

test('the commands of docs/order-tracking.md stream the statuses of an order until DELIVERED', async () => {
  const printed = await run('order-tracking.md')
  expect(printed.match(/^event: status$/gm)?.length).toBeGreaterThan(2)
  expect(printed).toContain('"status":"DELIVERED"')
})

test('the commands of docs/test-cards.md get card-declined with insufficient_funds', async () => {
  const printed = await run('test-cards.md')
  expect(printed).toContain('"code":"card-declined"')
  expect(printed).toContain('"declineCode":"insufficient_funds"')
})

test('the example of docs/errors.md has the members of a real problem with a missing field', async () => {
  const [, json = ''] = /^```json\n([^]*?)^```$/m.exec(guide('errors.md')) ?? []
  const shown = JSON.parse(json) as ProblemBody
  const { body } = await post<ProblemBody>('send-order', {
    restaurantApiKey: 'r',
    items: [{ apiKey: 'i' }],
    payment: 'cash',
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
  })
  expect(Object.keys(body).toSorted()).toEqual(Object.keys(shown).toSorted())
  const { detail: _a, details: _b, requestId: _c, errors, ...fixed } = shown
  expect(body).toMatchObject({ ...fixed, errors: errors.map(({ pointer, code }) => ({ pointer, code })) })
})
