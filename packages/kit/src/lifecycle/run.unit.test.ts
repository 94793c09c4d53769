import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

/** A service whose dependencies are never available. */
const SERVICE = `
  import { createApp, run, serviceConfig } from '@platter/kit'
  import { z } from 'zod'
  await run('orders', z.object(serviceConfig), (config, log) => ({
    app: createApp(log),
    checks: {},
    start: () => Promise.reject(new Error('password authentication failed')),
  }))`
const settings = { NODE_ENV: 'development', PORT: '0', INTERNAL_SECRET: 'a secret of at least 32 characters' }

function startService(env: Record<string, string>) {
  const args = ['--input-type=module', '--eval', SERVICE]
  return spawn(process.execPath, args, { cwd: join(import.meta.dirname, '../..'), env })
}

test('an unusable configuration is one line that names each variable, without a stack trace', async () => {
  const service = startService({ NODE_ENV: 'development', PORT: 'x' })
  const [out, errors] = await Promise.all([text(service.stdout), text(service.stderr)])
  expect(errors).toBe('')
  const lines = out.trim().split('\n')
  expect(lines).toHaveLength(1)
  const { level, reason, msg } = JSON.parse(lines[0] ?? '') as Record<string, string>
  expect({ level, msg }).toEqual({ level: 'fatal', msg: 'the configuration cannot be used' })
  expect(reason).toContain('INTERNAL_SECRET is missing')
  expect(reason).toContain('PORT: ')
})

test('a service that is stopped while it waits for its dependencies ends without an error', async () => {
  const service = startService(settings)
  const output = text(service.stdout)
  service.stdout.on('data', (line: Buffer) => line.includes('is retried') && service.kill('SIGTERM'))
  expect(await once(service, 'exit')).toEqual([0, null])
  expect(await output).not.toMatch(/"level":"(error|fatal)"/)
})
