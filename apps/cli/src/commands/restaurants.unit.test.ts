import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { EXIT } from '#/exit.ts'
import { run } from '#/run.ts'

test('restaurants import reports an unreadable file before its first request, which may end the import', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'platter-import-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'good.json'), '{"apiKey":"good"}')
  writeFileSync(join(folder, 'torn.json'), '{')
  writeFileSync(join(folder, 'key'), 'k')
  let printed = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((printed += String(text))))
  let atFirstRequest = ''
  const gateway = createServer((request) => {
    atFirstRequest = printed
    request.destroy()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void gateway.close())
  await once(gateway, 'listening')
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  const target = ['--url', url, '--key-file', join(folder, 'key')]
  expect(await run(['restaurants', 'import', folder, ...target])).toBe(EXIT.unreachable)
  expect(atFirstRequest).toContain('torn.json')
})
