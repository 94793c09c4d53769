import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { filesIn } from './files.ts'

/*
 * The npm scripts of a newcomer work in a fresh clone, in any folder, on a Node that is too old for the sources.
 */

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'platter-bootstrap-'))
afterAll(() => rmSync(folder, { recursive: true }))

// Instead of packages, this bootstrap installs a "Node" that prints its arguments.
const installer = `
import { mkdirSync, writeFileSync } from 'node:fs'
mkdirSync('node_modules/.bin', { recursive: true })
writeFileSync('node_modules/.bin/node', '#!/bin/sh\\necho "installed node: $*"\\n', { mode: 0o755 })`

test.each(['start', 'test', 'reset', 'bench', 'platter'])(
  'npm run %s installs the packages, then runs on the installed Node, also for a user with ignore-scripts=true',
  (script) => {
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
    cpSync(join(root, 'package.json'), join(folder, 'package.json'))
    mkdirSync(join(folder, 'dev'), { recursive: true })
    writeFileSync(join(folder, 'dev/bootstrap.mjs'), installer)
    // npm then omits the scripts "prestart", "pretest" and so on.
    const env = { ...process.env, npm_config_ignore_scripts: 'true' }
    const { stdout } = spawnSync('npm', ['run', script, '--', '--flag'], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    expect(stdout).toMatch(/^installed node: \S+\.ts --flag$/m)
  },
)

test('packages are installed again after "npm install" with NODE_ENV=production, which omits those for development', () => {
  const clone = join(folder, 'production')
  for (const name of ['dev', 'node_modules']) mkdirSync(join(clone, name), { recursive: true })
  cpSync(join(root, 'dev/bootstrap.mjs'), join(clone, 'dev/bootstrap.mjs'))
  writeFileSync(join(clone, 'package-lock.json'), '{}')
  writeFileSync(join(clone, 'node_modules/.package-lock.json'), '{}')
  writeFileSync(join(clone, 'npm-cli.js'), 'console.log(...process.argv.slice(2))')
  const env = { ...process.env, npm_execpath: join(clone, 'npm-cli.js') }
  const { stdout } = spawnSync(process.execPath, ['dev/bootstrap.mjs'], { cwd: clone, env, encoding: 'utf8' })
  expect(stdout).toContain('ci --include=dev')
})

test('no source takes a file from the pathname of a URL, which has %20 for a space in the path of the clone', () => {
  const sources = filesIn(root, ['*.ts', '*.mjs'])
  expect(sources.length).toBeGreaterThan(500)
  const wrong = /import\.meta\.url\s*\)\s*\.pathname/
  expect(sources.filter((file) => wrong.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
