import { hashAccessKey, newApiKey } from '@platter/kit'
import { migratedDatabase } from '@platter/testkit'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { postgresAccessKeyRecords } from '#/store/access-key-records.ts'
import { isValid, postgresAccessKeys } from '#/store/access-keys.ts'

const postgres = await migratedDatabase('accounts', 4)

beforeEach(() => sql`delete from access_keys`.execute(postgres.db))

const newKey = () => ({ id: newApiKey(), hash: newApiKey(), prefix: 'platter_live_9kQ2' })

async function operatorKey(): Promise<string> {
  const key = newKey()
  await postgresAccessKeys(postgres.db).insert(key, { kind: 'operator' })
  return key.id
}

const revoke = (id: string) =>
  postgres.db.transaction().execute((trx) => postgresAccessKeyRecords(trx).revoke(id))

async function rotate(id: string, overlapMinutes: number) {
  const key = newKey()
  await postgres.db.transaction().execute(async (trx) => {
    const records = postgresAccessKeyRecords(trx)
    const old = await records.lock(id)
    if (old) await records.replace(old, { key, overlapMinutes })
  })
  return key
}

test('an access key is found through the index of its hash, and that hash is no access key', async () => {
  const { db } = postgres
  await sql`insert into access_keys (id, hash, prefix, kind)
    select 'id-' || n, encode(sha256(n::text::bytea), 'hex'), 'platter_live_9kQ2', 'operator'
    from generate_series(1, 6000) n`.execute(db)
  await sql`analyze access_keys`.execute(db)
  const hash = hashAccessKey('17')
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select id from access_keys where hash = ${hash} and ${isValid}`.execute(db)
  expect(rows[0]?.['QUERY PLAN']).toMatch(/^Index Scan using access_keys_hash_key/)
  expect(await postgresAccessKeys(db).find(hash)).toMatchObject({ id: 'id-17' })
  expect(await postgresAccessKeys(db).find(hashAccessKey(hash))).toBeUndefined()
})

test('the last operator key cannot be revoked, also when two are revoked concurrently', async () => {
  const [one, other] = [await operatorKey(), await operatorKey()]
  const results = await Promise.all([revoke(one), revoke(other)])
  expect(results.map(({ kind }) => kind).toSorted()).toEqual(['last', 'revoked'])
})

test('a replaced key in its overlap may be revoked, and its replacement counts as the last one', async () => {
  const old = await operatorKey()
  const { id: replacing } = await rotate(old, 60)
  expect(await revoke(replacing)).toEqual({ kind: 'last' })
  expect(await revoke(old)).toMatchObject({ kind: 'revoked' })
})

test('a repeated revocation succeeds and keeps the end of the first one', async () => {
  const [one] = [await operatorKey(), await operatorKey()]
  const first = await revoke(one)
  expect(await revoke(one)).toEqual(first)
})

test('a rotated key has the principal of the first key, also after a second rotation', async () => {
  const first = newKey()
  await postgresAccessKeys(postgres.db).insert(first, { kind: 'operator' })
  const second = await rotate(first.id, 60)
  const third = await rotate(second.id, 60)
  const callers = await Promise.all(
    [first, second, third].map(({ hash }) => postgresAccessKeys(postgres.db).find(hash)),
  )
  const caller = { kind: 'operator', accessKeyId: first.id }
  expect(callers.map((known) => known?.principal)).toEqual([caller, caller, caller])
})

test('rotation without overlap ends the old key at once, and a second one does not restore it', async () => {
  const first = newKey()
  await postgresAccessKeys(postgres.db).insert(first, { kind: 'operator' })
  await rotate(first.id, 0)
  expect(await postgresAccessKeys(postgres.db).find(first.hash)).toBeUndefined()
  await rotate(first.id, 60)
  expect(await postgresAccessKeys(postgres.db).find(first.hash)).toBeUndefined()
})

test('a restart does not restore a configured operator key that was revoked', async () => {
  await operatorKey()
  const hash = newApiKey()
  await postgresAccessKeys(postgres.db).ensureOperatorKey(hash)
  const [configured] = (
    await postgresAccessKeyRecords(postgres.db).list({ kind: 'operator' }, { before: null, limit: 10 })
  ).filter(({ prefix }) => prefix === null)
  await revoke(configured?.id ?? '')
  await postgresAccessKeys(postgres.db).ensureOperatorKey(hash)
  expect(await postgresAccessKeys(postgres.db).find(hash)).toBeUndefined()
})
