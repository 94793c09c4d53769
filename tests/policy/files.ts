import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the files that git tracks or would add, by their paths from the root. With pathspecs, only the matching files. */
export function filesIn(root: string, pathspecs: readonly string[] = []): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...pathspecs]
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0')
  // Git lists a deleted file until its deletion is staged.
  return listed.filter((file) => file !== '' && existsSync(join(root, file)))
}
