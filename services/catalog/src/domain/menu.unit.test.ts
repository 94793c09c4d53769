import { MenuInput } from '@platter/contracts'
import { expect, test } from 'vitest'
import { menuFaults, menuFrom, menuRecord, menuText, takenFaults } from '#/domain/menu.ts'

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

test('a menu comes out as it went in, in cents between', () => {
  const input = menu(['mains', [item('korma', [group('heat', [custom('how-hot', 'mild', 'hot')])])]])
  const kept = menuFrom(input)
  expect(kept[0]?.items[0]?.basePrice).toBe(1250)
  expect(kept[0]?.items[0]?.customizationGroups[0]?.customizations[0]?.customizationChoices[0]?.price).toBe(
    25,
  )
  expect(menuRecord(kept, true)).toEqual([
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

test('customizations are shown only when they are asked for', () => {
  const [category] = menuRecord(menuFrom(menu(['mains', [item('korma')]])), false)
  expect(category?.items[0]).not.toHaveProperty('customizationGroups')
})

test('two categories or items of one key are refused, wherever in the menu they are', () => {
  const input = menu(['a', [item('x'), item('y')]], ['b', [item('x')]], ['a', [item('x')]])
  expect(pointers(input)).toEqual([
    ['/2/apiKey', 'invalid-field'],
    ['/1/items/0/apiKey', 'invalid-field'],
    ['/2/items/0/apiKey', 'invalid-field'],
  ])
})

test('what customizes an item has one key each within the item; items may share it', () => {
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

test('apikey-taken points at every key that is another restaurant’s', () => {
  const input = menu(['a', [item('x'), item('y')]], ['b', [item('z')]])
  expect(takenFaults(input, new Set(['b', 'y'])).map(({ pointer, code }) => [pointer, code])).toEqual([
    ['/1/apiKey', 'apikey-taken'],
    ['/0/items/1/apiKey', 'apikey-taken'],
  ])
})

test('the names of all items can be searched in', () => {
  const jalfrezi = { ...item('j'), name: 'Jalfrézi' }
  expect(menuText(menuFrom(menu(['a', [jalfrezi]], ['b', [item('Korma')]])))).toBe('jalfrezi\nchicken korma')
})
