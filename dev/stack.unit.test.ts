import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createProcessHost } from './process/host.ts'
import { plainReporter } from './progress.ts'
import { startStack } from './stack.ts'

const directory = mkdtempSync(join(tmpdir(), 'platter-stack-'))

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(directory, { recursive: true })
})

const find = () => Promise.reject(new Error('the servers were started'))

test('a start refuses the data of another user before it changes them', async () => {
  createProcessHost(directory)
  vi.spyOn(process, 'getuid').mockReturnValue(4711)
  const reporter = plainReporter(() => undefined)
  await expect(startStack({ runDirectory: directory, reporter, find })).rejects.toThrow(
    /belong to another user .* Run the command as that user/,
  )
})
