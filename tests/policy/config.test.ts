import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

/** The necessary part of a zod schema. A description may be inside of .default(), .optional() and similar wrappers. */
type Schema = { description?: string | undefined; def: { innerType?: Schema; in?: Schema; out?: Schema } }
type ConfigModule = { Config?: { shape?: Record<string, Schema> } }

const root = join(import.meta.dirname, '../..')
const processes = [...globSync('services/*', { cwd: root }), 'dev/processor', 'dev/simulators']

function isDescribed(schema: Schema | undefined): boolean {
  if (schema === undefined) return false
  const { innerType, in: before, out: after } = schema.def
  return (schema.description ?? '') !== '' || [innerType, before, after].some(isDescribed)
}

test.each(processes)('%s describes every key of its Config', async (folder) => {
  const file = ['src/config.ts', 'config.ts'].map((name) => join(root, folder, name)).find(existsSync)
  expect(file, `${folder}/src/config.ts`).toBeDefined()
  const { Config } = (await import(pathToFileURL(file ?? '').href)) as ConfigModule
  const keys = Object.entries(Config?.shape ?? {})
  expect(keys.length, 'keys of the exported Config').toBeGreaterThan(0)
  expect(keys.filter(([, schema]) => !isDescribed(schema)).map(([key]) => key)).toEqual([])
})
