import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ProcessHost } from '../process/host.ts'
import { errorCode } from '../process/identity.ts'
import { runToEnd } from '../process/run.ts'
import type { Reporter } from '../progress.ts'

const repository = resolve(import.meta.dirname, '../..')
const folder = join(repository, 'apps/console')
const built = join(folder, 'dist')
/** The sources of the page. The time of a folder is the time of its last added or removed file. */
const sources = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json']

/** Builds the restaurant's console, which the gateway serves, if it is missing or older than its sources. */
export async function ensureConsole(
  host: ProcessHost,
  { reporter, signal }: { reporter: Reporter; signal: AbortSignal | undefined },
): Promise<void> {
  if (!isDue()) return
  await reporter.step('Console for restaurants', async (step) => {
    // Built in a new folder and then renamed, because another stack may build too, and a gateway may serve the old build.
    const fresh = `${built}.${randomBytes(4).toString('hex')}`
    const spec = {
      name: 'vite build',
      command: process.execPath,
      args: [
        join(repository, 'node_modules/vite/bin/vite.js'),
        'build',
        '--outDir',
        fresh,
        '--logLevel',
        'warn',
      ],
      env: { ...process.env, NODE_ENV: 'production' },
      cwd: folder,
      log: join(host.logs, 'console.log'),
    } as const
    try {
      await runToEnd(host, spec, { now: step.now, signal })
      rmSync(built, { recursive: true, force: true })
      renameSync(fresh, built)
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true })
      // Between the two calls, another stack has renamed its equal build.
      if (!isFull(error)) throw error
    }
  })
}

const isFull = (error: unknown) => ['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')

function isDue(): boolean {
  const page = statSync(join(built, 'index.html'), { throwIfNoEntry: false })
  return !page || sources.some((name) => changedAt(join(folder, name)) > page.mtimeMs)
}

/** The newest modification time below a path. */
function changedAt(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))))
}
