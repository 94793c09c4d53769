import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ProcessHost } from '../process/host.ts'
import { runToEnd } from '../process/run.ts'
import type { Reporter } from '../progress.ts'
import { entryOf } from './processes.ts'
import { serviceNames, standInNames } from './services.ts'

const repository = resolve(import.meta.dirname, '../..')
const start = join(repository, 'packages/kit/start.sh')

/**
 * Compiles the sources of all processes once, in a fresh clone. Otherwise every process of the first start compiles them for
 * itself: the start of ten took 38 s of CPU instead of 24 on two busy cores.
 */
export async function ensureCompileCache(
  host: ProcessHost,
  { reporter, signal }: { reporter: Reporter; signal: AbortSignal | undefined },
): Promise<void> {
  // As in start.sh.
  const cache = process.env['NODE_COMPILE_CACHE'] ?? join(repository, 'node_modules/.cache/node')
  const marker = join(cache, 'has-services')
  if (existsSync(marker)) return
  await reporter.step('Compiling', async (step) => {
    const spec = {
      name: 'fill-compile-cache',
      command: start,
      args: [
        process.execPath,
        'packages/kit/src/lifecycle/fill-compile-cache.ts',
        ...[...standInNames, ...serviceNames].map(entryOf),
      ],
      env: { ...process.env, NODE_COMPILE_CACHE: cache, PORT: 'none' },
      cwd: repository,
      log: join(host.logs, 'compile-cache.log'),
    } as const
    await runToEnd(host, spec, { now: step.now, signal })
    mkdirSync(cache, { recursive: true })
    writeFileSync(marker, '')
  })
}
