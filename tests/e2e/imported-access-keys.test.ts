import { expect, test } from 'vitest'
import { newApplication } from './access-keys.ts'
import { eventually, fromElsewhere, get, operator, type ProblemBody } from './client.ts'

/* Keys that are compiled into shipped apps. The delay of their acceptance: services/gateway/src/access-keys.unit.test.ts. */

type Listed = { id: string; prefix: string; imported: boolean }

const newKey = () => `4f1d-${crypto.randomUUID()}`
const importKey = <T = { id: string; accessKey: string }>(application: string, key: unknown) =>
  operator<T>('POST', `applications/${application}/access-keys`, { key })
const search = (key: string) => get('restaurant/search?limit=1', { key, ...fromElsewhere() })

test('Keys compiled into shipped apps: an imported key is accepted until it is revoked', async () => {
  const application = await newApplication()
  const key = newKey()
  const before = await search(key)
  expect(before.status).toBe(401)
  const { status, body } = await importKey(application, key)
  expect([status, body.accessKey]).toEqual([200, key])
  const good = await eventually(
    () => search(key),
    (response) => response.status === 200,
  )
  expect(good.status).toBe(200)
  const listed = await operator<Listed[]>('GET', `applications/${application}/access-keys`)
  expect(listed.body).toMatchObject([{ id: body.id, prefix: key.slice(0, 4), imported: true }])
  expect(JSON.stringify(listed.body)).not.toContain(key)
  await operator('POST', `access-keys/${body.id}/revoke`)
  const revoked = await eventually(
    () => search(key),
    (response) => response.status === 401,
  )
  expect(revoked.status).toBe(401)
})

test('Keys compiled into shipped apps: an imported key is accepted as a query parameter', async () => {
  const key = newKey()
  await importKey(await newApplication(), key)
  const inQuery = () =>
    get(`restaurant/search?limit=1&access-token=${key}`, { key: null, ...fromElsewhere() })
  expect((await eventually(inQuery, ({ status }) => status === 200)).status).toBe(200)
})

test('409 access-key-taken for a key of another application; 404 for an unknown application', async () => {
  const key = newKey()
  await importKey(await newApplication(), key)
  expect(await importKey<ProblemBody>(await newApplication(), key)).toMatchObject({
    status: 409,
    body: { code: 'access-key-taken' },
  })
  expect((await importKey('0'.repeat(48), newKey())).status).toBe(404)
})

test.each([
  ['15 characters', 'x'.repeat(15)],
  ['129 characters', 'x'.repeat(129)],
  ['a blank', 'with a blank in it'],
  ['a letter that is not ASCII', 'mit-Umlaut-ä-dabei'],
  ['the form of an issued key', `platter_live_${'x'.repeat(36)}`],
])('400 for a key with %s', async (_, key) => {
  expect(await importKey<ProblemBody>(await newApplication(), key)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/key' }] },
  })
})

test('400 for an import with mode test, because imported keys are live', async () => {
  const path = `applications/${await newApplication()}/access-keys`
  const { status, body } = await operator<ProblemBody>('POST', path, { key: newKey(), mode: 'test' })
  expect([status, body.errors[0]?.pointer]).toEqual([400, '/mode'])
})
