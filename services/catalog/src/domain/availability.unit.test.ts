import { expect, test } from 'vitest'
import { Availability, keysOf, type Said } from '#/domain/availability.ts'
import { korma, vindaloo } from '#/domain/cast.ts'
import { ownMenuRecord, type Menu } from '#/domain/menu.ts'

const menu: Menu = [{ apiKey: 'mains', name: 'Mains', description: null, items: [korma, vindaloo] }]
const not = (kind: Said['kind'], apiKey: string, until: number | null = null): Said => ({
  kind,
  apiKey,
  available: false,
  until,
})
const yes = (kind: Said['kind'], apiKey: string): Said => ({ kind, apiKey, available: true, until: null })

/** The keys of what can be ordered. */
function orderable(...said: Said[]): string[] {
  const items = new Availability(said).ofMenu(menu).flatMap((category) => category.items)
  const choices = items.flatMap(({ customizationGroups }) =>
    customizationGroups.flatMap(({ customizations }) =>
      customizations.flatMap(({ customizationChoices }) => customizationChoices),
    ),
  )
  return [...items, ...choices].flatMap(({ apiKey, available }) => (available ? [apiKey] : []))
}

test('without a word of the restaurant the menu counts', () => {
  expect(orderable()).toEqual(['korma', 'vindaloo', 'mild', 'hot', 'naan', 'stuffed', 'no-butter'])
})

test('what the restaurant says goes before the menu, both ways, and by its kind', () => {
  expect(orderable(not('item', 'korma'), not('choice', 'naan'), not('choice', 'vindaloo'))).toEqual([
    'vindaloo',
    'mild',
    'hot',
    'stuffed',
    'no-butter',
  ])
  expect(orderable(yes('choice', 'hellish'))).toContain('hellish')
})

test('the restaurant itself sees when what cannot be ordered comes back', () => {
  const said = [
    not('item', 'korma', 1_900_000_000),
    not('choice', 'naan', 1_900_000_001),
    not('item', 'vindaloo'),
  ]
  const [own] = ownMenuRecord(menu, new Availability(said))
  expect(own?.items.map(({ availableAgain }) => availableAgain)).toEqual([1_900_000_000, null])
  const choices = own?.items[0]?.customizationGroups.flatMap(({ customizations }) =>
    customizations.flatMap(({ customizationChoices }) => customizationChoices),
  )
  expect(choices?.map(({ apiKey, availableAgain }) => [apiKey, availableAgain])).toEqual([
    ['mild', null],
    ['hot', null],
    ['hellish', null],
    ['naan', 1_900_000_001],
    ['stuffed', null],
    ['no-butter', null],
  ])
})

test('the keys of a menu, and what its own records say is not available', () => {
  expect(keysOf(menu)).toEqual({
    item: { all: ['korma', 'vindaloo'], off: [] },
    choice: { all: ['mild', 'hot', 'hellish', 'naan', 'stuffed', 'no-butter'], off: ['hellish'] },
  })
})
