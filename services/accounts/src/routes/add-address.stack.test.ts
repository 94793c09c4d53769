import { AddAddress } from '@platter/contracts'
import { newApiKey, Problem } from '@platter/kit'
import { migratedDatabase } from '@platter/testkit'
import { callOf } from '@platter/testkit/call'
import { expect, test } from 'vitest'
import { addAddress } from '#/routes/add-address.ts'
import { postgresAddresses } from '#/store/addresses.ts'
import { postgresApplications } from '#/store/applications.ts'
import { postgresUsers } from '#/store/users.ts'

const { db } = await migratedDatabase('accounts', 2)
const street = { streetAddress: '2 E Main St' }
const completion = { city: 'Madison', state: 'WI', zip: '53703', point: null, isUnavailable: false }

test('a repeated add-address replays its response while catalog is unavailable', async () => {
  const [applicationId, apiKey] = [newApiKey(), newApiKey()]
  await postgresApplications(db).insert({ id: applicationId, name: 'an app' })
  const person = { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' }
  await postgresUsers(db).insert(
    { apiKey, email: 'maria@example.org', passwordHash: '', ...person },
    applicationId,
  )
  const call = callOf(AddAddress, {
    params: { apiKey },
    body: street,
    principal: { kind: 'application', applicationId, accessKeyId: 'key-1', mode: 'live' },
    idempotency: { accessKeyId: 'key-1', path: '/', key: 'address-1', fingerprint: 'a street' },
  })
  const addWith = (ask: () => Promise<unknown>) =>
    addAddress({ tenantDb: () => db, addresses: postgresAddresses, bus: { ask: ask as never } })(call)
  const first = await addWith(async () => completion)
  const again = await addWith(async () => {
    throw new Problem('service-unavailable', 'Catalog is not available.')
  })
  expect(again).toEqual(first)
})
