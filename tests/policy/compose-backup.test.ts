import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { readComposeFile } from '../../dev/servers/compose-file.ts'

/* docker-compose.backup.yml beside docker-compose.yml: no other test starts its container. */

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
type Service = {
  command: string[]
  build: { target: string; args: { PACKAGE: string } }
  environment: Record<string, string | null>
  depends_on: Record<string, unknown>
  volumes: string[]
}
const { services } = parse(read('docker-compose.backup.yml')) as { services: { backup: Service } }
const { backup } = services

test('the container of backups has the variables that the command reads, and no others', () => {
  const settings = read('apps/cli/src/target-backup.ts')
  const names = [...settings.matchAll(/environment\['(\w+)'\]/g)].map(([, name = '']) => name)
  // Node reads these variables, for a certificate authority of the operator.
  const ofNode = ['SSL_CERT_DIR', 'NODE_USE_SYSTEM_CA']
  expect(new Set(Object.keys(backup.environment))).toEqual(new Set([...names, ...ofNode]))
})

test('the container of backups mounts the folder of .env: a mounted file would stay the old one after a change', () => {
  expect(backup.environment['BACKUP_FILES']).toBe('/installation/.env')
  expect(backup.volumes.filter((volume) => volume.includes('/installation'))).toEqual(['.:/installation:ro'])
})

test('the container of backups waits for a job of docker-compose.yml, and runs files of its image', () => {
  expect(Object.keys(readComposeFile())).toEqual(expect.arrayContaining(Object.keys(backup.depends_on)))
  const [script = '', , main = ''] = backup.command
  for (const file of [script.replace('/app/', ''), main]) expect(read(file)).not.toBe('')
  expect(main.startsWith(backup.build.args.PACKAGE)).toBe(true)
  expect(read('Dockerfile')).toContain(`AS ${backup.build.target}\n`)
})

test('the files that the Dockerfile runs exist', () => {
  const run = [...read('Dockerfile').matchAll(/\/app\/(packages\/[\w/.-]+\.(?:sh|ts))/g)].map(
    ([, file = '']) => file,
  )
  expect(run.length).toBeGreaterThan(1)
  for (const file of run) expect(read(file)).not.toBe('')
})
