import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesOf, readBundle } from '#/restaurant-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'platter-files-'))
const put = (name: string, value: unknown) => {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  return join(folder, name)
}
const restaurant = { apiKey: '9511054', name: 'Ajanta' }
const menu = [{ apiKey: 'c1', name: 'Curries', items: [] }]

beforeAll(() => mkdirSync(join(folder, 'none')))
afterAll(() => rmSync(folder, { recursive: true }))

test('reads restaurant, menu and link from one file, each with its JSON pointer', () => {
  const file = put('whole.json', { restaurant, menu, link: { kind: 'console' } })
  const at = { restaurant: '/restaurant', menu: '/menu', link: '/link' }
  expect(readBundle(file)).toEqual({
    file,
    apiKey: '9511054',
    restaurant,
    menu,
    link: { kind: 'console' },
    at,
  })
})

test('reads a file that begins with a byte order mark, as editors on Windows write it', () => {
  const file = put('mark.json', `\uFEFF${JSON.stringify(restaurant)}`)
  expect(readBundle(file)).toMatchObject({ apiKey: '9511054', restaurant })
})

test('reads a restaurant or a menu alone, and finds the apiKey of the menu through its file name', () => {
  const file = put('ajanta.json', restaurant)
  expect(readBundle(file)).toMatchObject({ apiKey: '9511054', restaurant, at: { restaurant: '' } })
  expect(readBundle(put('ajanta.menu.json', menu))).toMatchObject({
    apiKey: '9511054',
    menu,
    at: { menu: '' },
  })
  expect(readBundle(put('4711.menu.json', menu))).toMatchObject({ apiKey: '4711' })
  put('restaurant.json', { restaurant })
  expect(readBundle(put('menu.json', menu))).toMatchObject({ apiKey: '9511054' })
})

test.each([
  ['invalid JSON', 'broken.json', '{', ''],
  ['a number', 'number.json', 3, ''],
  ['a restaurant without an apiKey', 'nameless.json', { name: 'x' }, '/apiKey'],
  ['the response of a search', 'search.json', { address: {}, restaurants: [restaurant] }, '/restaurants'],
  ['a menu beside an empty restaurant', 'keyless.json', { restaurant: {}, menu }, '/restaurant/apiKey'],
  ['a menu without the apiKey of its restaurant', 'list.json', menu, ''],
])('reports %s as a fault with a JSON pointer', (_, name, value, pointer) => {
  const file = put(name, value)
  expect(readBundle(file)).toMatchObject({ file, pointer })
})

test('a folder expands to its files, sorted by name, without hidden files', () => {
  put('.hidden.json', '{')
  const names = filesOf([folder]).map((file) => file.slice(folder.length + 1))
  expect(names).toEqual(names.toSorted())
  expect(names).toContain('ajanta.json')
  expect(names).not.toContain('.hidden.json')
})

test('refuses a missing path and a folder without .json files', () => {
  expect(() => filesOf([join(folder, 'nowhere')])).toThrow('There is no file or folder')
  expect(() => filesOf([join(folder, 'none')])).toThrow('There is no .json file')
})
