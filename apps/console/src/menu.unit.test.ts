import type { OwnCategory } from '@platter/contracts'
import { expect, test } from 'vitest'
import { choicesOf, entriesOf, type Item } from '#/menu.ts'

const choice = (apiKey: string, available = true) => ({
  apiKey,
  name: apiKey,
  available,
  availableAgain: null,
})
const item = (name: string, groups: ReturnType<typeof choice>[][] = []) =>
  ({
    apiKey: name,
    name,
    available: true,
    availableAgain: null,
    customizationGroups: groups.map((choices) => ({ customizations: [{ customizationChoices: choices }] })),
  }) as unknown as Item
const category = (items: Item[]) => ({ apiKey: 'c', name: 'Soups', items }) as unknown as OwnCategory

test('a choice that several groups share appears once, in the order of the menu', () => {
  const soup = item('soup', [[choice('chili'), choice('soy')], [choice('chili')]])
  expect(choicesOf(soup).map(({ apiKey }) => apiKey)).toEqual(['chili', 'soy'])
})

test('the entries of a menu are its items, each followed by its choices with the name of the item', () => {
  const menu = [category([item('soup', [[choice('chili', false)]])]), category([item('tea')])]
  expect(entriesOf(menu)).toMatchObject([
    { kind: 'item', name: 'soup', of: null },
    { kind: 'choice', name: 'chili', of: 'soup', available: false },
    { kind: 'item', name: 'tea', of: null },
  ])
})
