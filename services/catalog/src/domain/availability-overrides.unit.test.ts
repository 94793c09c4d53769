import { expect, test } from 'vitest'
import { AvailabilityOverrides, keysOf, type AvailabilityOverride } from '#/domain/availability-overrides.ts'
import { korma, vindaloo } from '#/testing/ajanta.ts'
import { ownMenuRecord } from '#/domain/menu-record.ts'
import { choicesOf, type Menu } from '#/domain/menu.ts'

const menu: Menu = [{ apiKey: 'mains', name: 'Mains', description: null, items: [korma, vindaloo] }]
const off = (
  kind: AvailabilityOverride['kind'],
  apiKey: string,
  until: number | null = null,
): AvailabilityOverride => ({
  kind,
  apiKey,
  available: false,
  until,
})
const on = (kind: AvailabilityOverride['kind'], apiKey: string): AvailabilityOverride => ({
  kind,
  apiKey,
  available: true,
  until: null,
})

/** The apiKeys of available items and choices. */
function orderable(...overrides: AvailabilityOverride[]): string[] {
  const items = new AvailabilityOverrides(overrides).ofMenu(menu).flatMap((category) => category.items)
  const choices = items.flatMap(({ customizationGroups }) => choicesOf(customizationGroups))
  return [...items, ...choices].flatMap(({ apiKey, available }) => (available ? [apiKey] : []))
}

test('without overrides the availability of the menu applies', () => {
  expect(orderable()).toEqual(['korma', 'vindaloo', 'mild', 'hot', 'naan', 'stuffed', 'no-butter'])
})

test('an override takes precedence over the menu, for its kind of record only', () => {
  expect(orderable(off('item', 'korma'), off('choice', 'naan'), off('choice', 'vindaloo'))).toEqual([
    'vindaloo',
    'mild',
    'hot',
    'stuffed',
    'no-butter',
  ])
  expect(orderable(on('choice', 'hellish'))).toContain('hellish')
})

test('the menu for its restaurant has the time at which an item or choice becomes available again', () => {
  const overrides = [
    off('item', 'korma', 1_900_000_000),
    off('choice', 'naan', 1_900_000_001),
    off('item', 'vindaloo'),
  ]
  const [own] = ownMenuRecord(menu, new AvailabilityOverrides(overrides))
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

test('lists the apiKeys of a menu, and those that the menu makes unavailable', () => {
  expect(keysOf(menu)).toEqual({
    item: { all: ['korma', 'vindaloo'], unavailable: [] },
    choice: { all: ['mild', 'hot', 'hellish', 'naan', 'stuffed', 'no-butter'], unavailable: ['hellish'] },
  })
})
