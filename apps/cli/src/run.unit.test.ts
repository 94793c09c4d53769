import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { EXIT } from '#/exit.ts'
import { run } from '#/run.ts'

function outputOf(stream: 'stdout' | 'stderr'): () => string {
  const printed = vi.spyOn(process[stream], 'write').mockReturnValue(true)
  onTestFinished(() => printed.mockRestore())
  return () => printed.mock.calls.map(([text]) => String(text)).join('')
}

test('platter setup names the command that creates the secrets of an installation', async () => {
  const errors = outputOf('stderr')
  expect(await run(['setup', '--domain', 'example.org'])).toBe(EXIT.usage)
  expect(errors()).toContain('npm run setup')
})

test.each([
  [
    ['keys', 'rotate', 'ID', '--overlap', '43201'],
    "argument '43201' is invalid. it must be a whole number from 0 to 43200.",
  ],
  [['reconcile', '--csv', '--since', '24h', '--until', '48h'], '--since must be before --until.'],
])('platter %j is an error of usage, without a request', async (args, message) => {
  const errors = outputOf('stderr')
  expect(await run(args)).toBe(EXIT.usage)
  expect(errors()).toContain(message)
})

test.each([
  [['keys', 'list', '--application', 'ID'], 'There are no access keys.\n'],
  [['attention', 'retry', '--all'], 'There are no incidents.\n'],
])('platter %j reports an empty list', async (args, line) => {
  const server = createServer((_request, response) => void response.end('[]')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  vi.stubEnv('PLATTER_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  vi.stubEnv('PLATTER_OPERATOR_KEY', 'key')
  onTestFinished(() => void vi.unstubAllEnvs())
  const output = outputOf('stdout')
  expect(await run(args)).toBe(EXIT.ok)
  expect(output()).toBe(line)
})
