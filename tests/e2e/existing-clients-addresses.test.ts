import { expect, test } from 'vitest'
import { get, type Restaurant } from './client.ts'

type Found = { address: { city: string; state: string; zip: string }; restaurants: Restaurant[] }

test.each([
  ['Winston-Salem, NC', 'Winston Salem', 'NC', ''],
  ["O'Fallon, IL", 'O Fallon', 'IL', ''],
  ['Cañon City, CO', 'Canon City', 'CO', ''],
  ['Madison', 'Madison', 'WI', ''],
  ['316 W Washington Ave (53703), second floor', 'Madison', 'WI', '53703'],
  ['316 W Washington Ave, Madison, WI 53703, USA', 'Madison', 'WI', '53703'],
])('Addresses: a search finds %j', async (address, city, state, zip) => {
  const { status, body } = await get<Found>(`restaurant/search?street-address=${encodeURIComponent(address)}`)
  expect(status).toBe(200)
  expect(body.address).toMatchObject({ city, state, zip })
})
