import { MenuInput } from '@platter/contracts'
import { expect, test } from 'vitest'
import { menuFaults, menuOf } from '#/domain/menu-input.ts'
import { menuRecord } from '#/domain/menu-record.ts'
import { menuText } from '#/domain/search.ts'

const choice = (apiKey: string) => ({ apiKey, name: apiKey, price: 0.25 })
const group = (apiKey: string, customizations: object[]) => ({ apiKey, name: apiKey, customizations })
const custom = (apiKey: string, ...choices: string[]) => ({
  apiKey,
  name: apiKey,
  type: 'spice',
  customizationChoices: choices.map(choice),
})
const item = (apiKey: string, customizationGroups: object[] = []) => ({
  apiKey,
  name: `Chicken ${apiKey}`,
  basePrice: 12.5,
  customizationGroups,
})
const menu = (...categories: [string, object[]][]): MenuInput =>
  MenuInput.parse(categories.map(([apiKey, items]) => ({ apiKey, name: `All ${apiKey}`, items })))
const pointers = (input: MenuInput) => menuFaults(input).map(({ pointer, code }) => [pointer, code])

test('a menu is stored with prices in cents and returned as it was put', () => {
  const input = menu(['mains', [item('korma', [group('heat', [custom('how-hot', 'mild', 'hot')])])]])
  const stored = menuOf(input)
  expect(stored[0]?.items[0]?.basePrice).toBe(1250)
  expect(stored[0]?.items[0]?.customizationGroups[0]?.customizations[0]?.customizationChoices[0]?.price).toBe(
    25,
  )
  expect(menuRecord(stored)).toEqual([
    {
      apiKey: 'mains',
      name: 'All mains',
      items: [
        {
          apiKey: 'korma',
          name: 'Chicken korma',
          basePrice: 12.5,
          available: true,
          customizationGroups: [
            {
              apiKey: 'heat',
              name: 'heat',
              minCount: 0,
              maxCount: 1,
              basePrice: 0,
              customizations: [
                {
                  apiKey: 'how-hot',
                  name: 'how-hot',
                  type: 'spice',
                  customizationChoices: [
                    { apiKey: 'mild', name: 'mild', price: 0.25, count: 1, available: true },
                    { apiKey: 'hot', name: 'hot', price: 0.25, count: 1, available: true },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
  ])
})

test('customizations are in the record only when they are requested', () => {
  const [category] = menuRecord(menuOf(menu(['mains', [item('korma')]])), false)
  expect(category?.items[0]).not.toHaveProperty('customizationGroups')
})

test('refuses an apiKey that two categories or two items of the menu have', () => {
  const input = menu(['a', [item('x'), item('y')]], ['b', [item('x')]], ['a', [item('x')]])
  expect(pointers(input)).toEqual([
    ['/2/apiKey', 'invalid-field'],
    ['/1/items/0/apiKey', 'invalid-field'],
    ['/2/items/0/apiKey', 'invalid-field'],
  ])
})

test('the apiKeys below an item are unique within the item, and items may share them', () => {
  const heat = group('heat', [custom('how-hot', 'mild', 'hot')])
  const toppings = group('toppings', [custom('more', 'mild')])
  expect(pointers(menu(['a', [item('x', [heat]), item('y', [heat])]]))).toEqual([])
  expect(pointers(menu(['a', [item('x', [heat, heat, toppings])]]))).toEqual([
    ['/0/items/0/customizationGroups/1/apiKey', 'invalid-field'],
    ['/0/items/0/customizationGroups/1/customizations/0/apiKey', 'invalid-field'],
    ['/0/items/0/customizationGroups/1/customizations/0/customizationChoices/0/apiKey', 'invalid-field'],
    ['/0/items/0/customizationGroups/1/customizations/0/customizationChoices/1/apiKey', 'invalid-field'],
    ['/0/items/0/customizationGroups/2/customizations/0/customizationChoices/0/apiKey', 'invalid-field'],
  ])
})

test('the search text of a menu has the names of all items, without case and accents', () => {
  const jalfrezi = { ...item('j'), name: 'Jalfrézi' }
  expect(menuText(menuOf(menu(['a', [jalfrezi]], ['b', [item('Korma')]])))).toBe('jalfrezi\nchicken korma')
})
