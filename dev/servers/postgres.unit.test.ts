import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createProcessHost } from '../process/host.ts'
import { plainReporter } from '../progress.ts'
import { outsidePlace } from './postgres-place.ts'
import { startPostgres } from './postgres.ts'

const directory = mkdtempSync(join(tmpdir(), 'platter-postgres-'))

afterEach(() => {
  rmSync(outsidePlace(directory), { recursive: true, force: true })
  rmSync(directory, { recursive: true })
})

test('a start whose data are missing says that the folder may have been renamed', async () => {
  mkdirSync(join(directory, 'postgres'))
  writeFileSync(join(directory, 'postgres/password'), 'of an earlier start')
  const context = {
    directory,
    host: createProcessHost(directory),
    reporter: plainReporter(() => undefined),
  }
  await expect(startPostgres(context)).rejects.toThrow(
    /has no data, although an earlier start created them. If the folder of the project was renamed/,
  )
})
