import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHttpServer } from '@platter/testkit/http-server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { EXIT } from '#/exit.ts'
import { run } from '#/run.ts'

/** Starts a gateway that responds with a status and an empty list. Returns the options of a command, and the methods of its requests. */
async function aGateway(status: number) {
  const folder = mkdtempSync(join(tmpdir(), 'platter-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'key'), 'k')
  const methods: string[] = []
  const { url, close } = await startHttpServer(({ method = '' }, response) => {
    methods.push(method)
    response.writeHead(status).end('[]')
  })
  onTestFinished(close)
  return { target: ['--url', url, '--key-file', join(folder, 'key')], methods }
}

test.each([
  ['a link', ['restaurants', 'link', 'typo', '--console']],
  ['an access key', ['keys', 'issue', '--restaurant', 'typo']],
])('%s of a restaurant that does not exist is refused, because of a typing error', async (_, args) => {
  const { target, methods } = await aGateway(200)
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(await run([...args, ...target])).toBe(EXIT.refused)
  expect(String(printed.mock.calls[0]?.[0])).toContain('There is no restaurant typo.')
  expect(methods).toEqual(['GET'])
})

test('while catalog is unavailable, the link of any restaurant can be set', async () => {
  const { target, methods } = await aGateway(503)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await run(['restaurants', 'link', 'any', '--console', ...target])
  expect(methods).toEqual(['GET', 'PUT'])
})

test('an empty argument, from a variable that is not set, sends no request: it would read another endpoint', async () => {
  const { target, methods } = await aGateway(200)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(await run(['orders', 'show', '', ...target])).toBe(EXIT.usage)
  expect(methods).toEqual([])
})

test('reconcile refuses --until without --csv, because it would compare until now', async () => {
  const { target, methods } = await aGateway(200)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(await run(['reconcile', '--until', '1h', ...target])).toBe(EXIT.usage)
  expect(methods).toEqual([])
})

test('reconcile refuses --csv with --json, which are two formats of standard output', async () => {
  const { target, methods } = await aGateway(200)
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(await run(['reconcile', '--csv', '--json', ...target])).toBe(EXIT.usage)
  expect(String(printed.mock.calls[0]?.[0])).toContain("'--csv' cannot be used with option '--json'")
  expect(methods).toEqual([])
})

test('restaurants import reports an unreadable file before its first request, which may end the import', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'platter-import-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'good.json'), '{"apiKey":"good"}')
  writeFileSync(join(folder, 'torn.json'), '{')
  writeFileSync(join(folder, 'key'), 'k')
  let printed = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((printed += String(text))))
  let atFirstRequest = ''
  const { url, close } = await startHttpServer((request) => {
    atFirstRequest = printed
    request.destroy()
  })
  onTestFinished(close)
  const target = ['--url', url, '--key-file', join(folder, 'key')]
  expect(await run(['restaurants', 'import', folder, ...target])).toBe(EXIT.unreachable)
  expect(atFirstRequest).toContain('torn.json')
})
