import { tmpdir } from 'node:os'
import { afterEach, expect, test, vi } from 'vitest'
import { plainReporter } from '../progress.ts'
import { given } from './given.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('an error about a malformed URL names its variable, and does not contain its password', async () => {
  vi.stubEnv('DATABASE_URL', 'host=localhost password=s3cret')
  const reporter = plainReporter(() => undefined)
  const context = { directory: tmpdir(), reporter, host: {} as never }
  const error = await given(['postgres'], context).catch(String)
  expect(error).toMatch(/DATABASE_URL is not a URL, such as postgres:/)
  expect(error).not.toContain('s3cret')
})
