import { createIdentity, writeArchive } from '@platter/backup'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createProgram } from '#/program.ts'

const folder = mkdtempSync(join(tmpdir(), 'platter-backup-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeAll(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})

async function* forgedEntries() {
  const manifest = { format: 1, at: 0, server: '18', tables: [] }
  yield { name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)) }
  yield { name: 'files/../outside', content: Buffer.from('a secret') }
  yield { name: 'end.json', content: Buffer.from('{"rows":[]}') }
}

test('an archive with the path of another folder writes its files into the given one', async () => {
  const [archive, identityFile, to] = ['forged.age', 'identity.txt', 'to'].map((name) => join(folder, name))
  const { identity, recipient } = await createIdentity()
  writeFileSync(identityFile!, identity)
  // A recipient is no secret, so others can encrypt for it.
  await writeArchive(archive!, { recipient }, forgedEntries())
  const options = ['--identity-file', identityFile!, '--check', '--files-to', to!]
  await createProgram().parseAsync(['restore', archive!, ...options], { from: 'user' })
  expect(readdirSync(folder)).not.toContain('outside')
  expect(readFileSync(join(to!, 'outside'), 'utf8')).toBe('a secret')
})
