import { ApplicationAccessKeys, type AccessKey } from '@platter/contracts'
import { expect, test } from 'vitest'
import { issueKey, newApplication, statusWith } from './access-keys.ts'
import { UNKNOWN_API_KEY } from './accounts.ts'
import { eventually, operator, expectConforms } from './client.ts'

test('the list of keys is newest first and paginated, has their last use, but no credential', async () => {
  const application = await newApplication()
  const path = `applications/${application}/access-keys`
  const [older, newer] = [await issueKey(path), await issueKey(path)]
  await statusWith(older.accessKey)
  const list = await eventually(
    async () => (await operator<AccessKey[]>('GET', path)).body,
    (keys) => keys.at(-1)?.lastUsed !== null,
  )
  expectConforms(ApplicationAccessKeys, list)
  expect(list.map(({ id }) => id)).toEqual([newer.id, older.id])
  expect(list[0]).toMatchObject({ lastUsed: null, revoked: null, expires: null, prefix: newer.prefix })
  expect(JSON.stringify(list)).not.toContain(newer.accessKey)
  const page = await operator<AccessKey[]>('GET', `${path}?limit=1`)
  const next = /<\/operatorapi\/v1\/(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  expect((await operator<AccessKey[]>('GET', next)).body.map(({ id }) => id)).toEqual([older.id])
})

test('404 application-not-found for an unknown application', async () => {
  expect(await operator('GET', `applications/${UNKNOWN_API_KEY}/access-keys`)).toMatchObject({
    status: 404,
    body: { code: 'application-not-found' },
  })
})
