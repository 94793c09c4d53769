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

test('a file with restaurant, menu and link has all three parts with their pointers', () => {
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

test("a file may be a restaurant's record or a menu alone", () => {
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
  ['no JSON', 'broken.json', '{', ''],
  ['a number', 'number.json', 3, ''],
  ['no apiKey', 'nameless.json', { name: 'x' }, '/apiKey'],
  ['no apiKey of its restaurant', 'keyless.json', { restaurant: {}, menu }, '/restaurant/apiKey'],
  ['a menu whose restaurant is not named', 'list.json', menu, ''],
])('%s is a fault with a pointer', (_, name, value, pointer) => {
  const file = put(name, value)
  expect(readBundle(file)).toMatchObject({ file, pointer })
})

test('a folder is replaced by its files, sorted by name', () => {
  put('.hidden.json', '{')
  const names = filesOf([folder]).map((file) => file.slice(folder.length + 1))
  expect(names).toEqual(names.toSorted())
  expect(names).toContain('ajanta.json')
  expect(names).not.toContain('.hidden.json')
})

test('a missing path or an empty folder is wrong usage', () => {
  expect(() => filesOf([join(folder, 'nowhere')])).toThrow('There is no file or folder')
  expect(() => filesOf([join(folder, 'none')])).toThrow('There is no .json file')
})
