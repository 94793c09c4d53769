import { CreateApplication } from '@platter/contracts'
import { Problem, type Call, type Db } from '@platter/kit'
import { deleteExpiredKeys } from '@platter/kit/idempotency/key-store'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { migratedDatabase } from '@platter/testkit'
import { callOf } from '@platter/testkit/call'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { postgresApplications } from '#/store/applications.ts'

const { db } = await migratedDatabase('accounts')

type CreateCall = Call<typeof CreateApplication>

function request(
  key: string = crypto.randomUUID(),
  name = 'an app',
): { call: CreateCall; headers: Map<string, string> } {
  const headers = new Map<string, string>()
  const call = callOf(CreateApplication, {
    body: { name },
    principal: { kind: 'operator', accessKeyId: 'operator-1' },
    idempotency: { accessKeyId: 'operator-1', path: CreateApplication.path, key, fingerprint: name },
    setHeader: (header, value) => void headers.set(header, value),
  })
  return { call, headers }
}

const create = (name: string) => (trx: Db) =>
  postgresApplications(trx).insert({ id: crypto.randomUUID(), name })

const countOf = async (name: string) => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from applications where name = ${name}`.execute(db)
  return rows[0]?.count
}

test('a repeated key replays the first response byte for byte, and the work runs once', async () => {
  const { replay, execute } = idempotent(db, CreateApplication)
  const name = crypto.randomUUID()
  const { call } = request(undefined, name)
  expect(await replay(call)).toBeNull()
  const first = await execute(call, create(name))
  const again = request(call.idempotency?.key, name)
  expect((await execute(again.call, create(name))).body).toBe(first.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect((await replay(again.call))?.body).toBe(first.body)
  expect(await countOf(name)).toBe(1)
})

test('50 concurrent requests with one key run the work once and get the same response', async () => {
  const { execute } = idempotent(db, CreateApplication)
  const name = crypto.randomUUID()
  const { call } = request(undefined, name)
  const responses = await Promise.all(Array.from({ length: 50 }, () => execute(call, create(name))))
  expect(new Set(responses.map(({ body }) => body)).size).toBe(1)
  expect(await countOf(name)).toBe(1)
})

test('422 idempotency-mismatch for another request with the same key, without its work', async () => {
  const { replay, execute } = idempotent(db, CreateApplication)
  const { call } = request()
  await execute(call, create('first'))
  const name = crypto.randomUUID()
  const other = request(call.idempotency?.key, name)
  const mismatch = { code: 'idempotency-mismatch', status: 422 }
  await expect(execute(other.call, create(name))).rejects.toMatchObject(mismatch)
  await expect(replay(other.call)).rejects.toMatchObject(mismatch)
  expect(await countOf(name)).toBe(0)
})

test('409 idempotency-in-flight while the first request takes longer than a second', async () => {
  const { execute } = idempotent(db, CreateApplication)
  const name = crypto.randomUUID()
  const { call } = request(undefined, name)
  const [begun, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  const first = execute(call, async (trx) => {
    begun.resolve(undefined)
    await end.promise
    return create(name)(trx)
  })
  await begun.promise
  const inFlight = { code: 'idempotency-in-flight', status: 409, retryAfterSeconds: 1 }
  await expect(execute(call, create(name))).rejects.toMatchObject(inFlight)
  end.resolve(undefined)
  const { body } = await first
  expect((await execute(call, create(name))).body).toBe(body)
  expect(await countOf(name)).toBe(1)
})

test('a waiting request runs the work after the first request with its key has failed', async () => {
  const { execute } = idempotent(db, CreateApplication)
  const name = crypto.randomUUID()
  const { call } = request(undefined, name)
  const [begun, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  const first = execute(call, async () => {
    begun.resolve(undefined)
    await end.promise
    throw new Error('killed')
  })
  await begun.promise
  const second = execute(call, create(name))
  end.resolve(undefined)
  const [failed, done] = await Promise.allSettled([first, second])
  expect([failed.status, done.status]).toEqual(['rejected', 'fulfilled'])
  expect(await countOf(name)).toBe(1)
})

test('a problem rolls back the work before it and releases the key', async () => {
  const { replay, execute } = idempotent(db, CreateApplication)
  const name = crypto.randomUUID()
  const { call } = request(undefined, name)
  const refused = execute(call, async (trx) => {
    await create(name)(trx)
    throw new Problem('email-taken', 'taken')
  })
  await expect(refused).rejects.toMatchObject({ code: 'email-taken' })
  expect(await replay(call)).toBeNull()
  expect(await countOf(name)).toBe(0)
  const corrected = request(call.idempotency?.key, `${name} corrected`)
  expect((await execute(corrected.call, create(`${name} corrected`))).body).toContain('corrected')
})

test('each request without a key runs the work', async () => {
  const { replay, execute } = idempotent(db, CreateApplication)
  const name = crypto.randomUUID()
  const call = { ...request(undefined, name).call, idempotency: null }
  await execute(call, create(name))
  await execute(call, create(name))
  expect(await replay(call)).toBeNull()
  expect(await countOf(name)).toBe(2)
})

test('an access key is inserted into the response and not into the stored body', async () => {
  const { execute } = idempotent(db, CreateApplication, (body) => body.replace('NONCE', 'the access key'))
  const { call } = request()
  const first = await execute(call, create('NONCE'))
  expect(first.body).toContain('the access key')
  expect((await execute(call, create('NONCE'))).body).toBe(first.body)
  const { rows } = await sql<{ body: string | null }>`select body from idempotency_keys`.execute(db)
  expect(rows.some(({ body }) => body?.includes('NONCE'))).toBe(true)
  expect(rows.some(({ body }) => body?.includes('the access key'))).toBe(false)
})

test('deletes keys after seven days, 1,000 at a time', async () => {
  await sql`
    insert into idempotency_keys (access_key_id, path, key, fingerprint, created_at)
    select 'old', '/', n::text, '', now() - case when n <= 1500 then interval '7 days 1 minute' else interval '6 days' end
    from generate_series(1, 1501) n`.execute(db)
  expect(await deleteExpiredKeys(db)).toBe(true)
  expect(await deleteExpiredKeys(db)).toBe(false)
  const left = await sql`select key from idempotency_keys where access_key_id = 'old'`.execute(db)
  expect(left.rows).toEqual([{ key: '1501' }])
})
