import { OwnMenu, type OwnCategory } from '@platter/contracts'
import { expect, test } from 'vitest'
import { eventually, expectConforms } from './client.ts'
import { EXPIRE_OVERRIDE, setUpKitchen } from './kitchen.ts'
import { plant } from './planted.ts'

const { soup, change, own } = setUpKitchen()

test('availableAgain is the end of the availability override of an item, and null after it', async () => {
  const until = Math.floor(Date.now() / 1_000) + 3_600
  await change(`item/${soup}/availability`, { available: false, until })
  const menu = await own<OwnCategory[]>('menu')
  expectConforms(OwnMenu, menu)
  expect(menu[0]?.items.map(({ available, availableAgain }) => [available, availableAgain])).toEqual([
    [false, until],
    [true, null],
  ])
  await plant(EXPIRE_OVERRIDE, soup)
  const item = await eventually(
    async () => (await own<OwnCategory[]>('menu'))[0]?.items[0],
    (found) => found?.available === true,
  )
  expect(item).toMatchObject({ available: true, availableAgain: null })
})
