import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** Checks out a commit and installs its packages. The next run reuses both. */
export function checkOut(name: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, maxBuffer: 1024 ** 3 })
  const commit = git('rev-parse', '--verify', `${name}^{commit}`).toString().trim()
  const tree = join(ROOT, '.run/bench-commits', commit)
  if (!existsSync(join(tree, 'package.json'))) {
    mkdirSync(tree, { recursive: true })
    execFileSync('tar', ['-x', '-C', tree], { input: git('archive', commit) })
  }
  execFileSync(process.execPath, [join(tree, 'dev/bootstrap.mjs')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return tree
}
