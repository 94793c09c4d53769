import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment, PlatformOptions, ServedStack } from './platform.ts'
import type { Groups } from '../support/processes.ts'
import { Worker } from '../support/worker.ts'

const root = join(import.meta.dirname, '../..')
const program = new URL('workers/stack-of-commit.ts', import.meta.url)

/** Returns the full hash of a commit. Throws for a name that git does not resolve. */
function commitOf(name: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
      cwd: root,
      encoding: 'utf8',
    }).trim()
  } catch {
    throw new Error(`--against-commit: git has no commit ${name}`)
  }
}

/** Checks out the commit and installs its packages. The next run reuses both. */
function checkOut(commit: string): string {
  const tree = join(root, '.run/bench-commits', commit)
  if (!existsSync(join(tree, 'package.json'))) {
    mkdirSync(tree, { recursive: true })
    const files = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1024 ** 3 })
    execFileSync('tar', ['-x', '-C', tree], { input: files })
  }
  execFileSync(process.execPath, [join(tree, 'dev/bootstrap.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return tree
}

/** Starts the stack of another commit with the launcher of that commit, in a separate process. */
export async function stackOfCommit({
  commit,
  directory,
  replicas = 1,
  env,
}: PlatformOptions & { commit: string; env: Environment }): Promise<{
  stack: ServedStack
  groups: Groups
  stop: () => Promise<void>
}> {
  const tree = checkOut(commitOf(commit))
  const settings = [tree, directory, String(replicas), JSON.stringify(env)]
  const launcher = await Worker.start<object, object>(program, settings)
  const stack = JSON.parse(launcher.address) as ServedStack
  return {
    stack,
    groups: Object.fromEntries(Object.entries(stack.pids).map(([name, pids]) => [name, () => pids])),
    stop: async () => {
      await launcher.run({})
      await launcher.stop()
    },
  }
}
