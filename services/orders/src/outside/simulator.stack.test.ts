import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, newApiKey } from '@platter/kit'
import { migrate } from '@platter/kit/migrate'
import { connectPostgres } from '@platter/kit/postgres'
import { newDatabase } from '@platter/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlacedOrder } from '#/domain/order.ts'
import type { Db, Tables } from '#/store/tables.ts'
import { transmitToSimulator } from './simulator.ts'

const log = createLog('test', 'fatal')
const MIGRATIONS = new URL('../../migrations', import.meta.url).pathname

let db: Db
let close: () => Promise<void>
let folder: string

beforeAll(async () => {
  const postgres = connectPostgres<Tables>(await newDatabase(), 10, log)
  ;({ db } = postgres)
  close = () => postgres.close()
  await migrate(db, MIGRATIONS, log)
  folder = await mkdtemp(join(tmpdir(), 'platter-receipts-'))
})
afterAll(async () => {
  await close()
  await rm(folder, { recursive: true })
})

test('an order that comes ten times at the same moment is accepted each time, and has one receipt', async () => {
  const receipts = join(folder, 'receipts.jsonl')
  const apiKey = newApiKey()
  const sent = { webhookId: `order_${apiKey}`, order: { apiKey } as PlacedOrder }
  const settings = { stepMs: 1_000, slowMs: 1_000, receipts }
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => transmitToSimulator({ db, settings }, 'accepts', sent)),
  )
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['accepted']))
  const lines = (await readFile(receipts, 'utf8')).trimEnd().split('\n')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(apiKey)
})
