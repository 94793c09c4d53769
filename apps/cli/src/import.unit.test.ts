import { PutMenu, PutRestaurant, type Operation } from '@platter/contracts'
import { expect, test } from 'vitest'
import { Rejected, type Api } from '#/api.ts'
import { importBundle } from '#/import.ts'

type Call = Parameters<Api['call']>[1]

const invalidUrl = { pointer: '/url', code: 'invalid-field', detail: 'url is not https.' }
const takenItem = { pointer: '/0/items/0/apiKey', code: 'apikey-taken', detail: 'The apiKey is taken.' }
const invalid = { status: 400, code: 'invalid-field', errors: [invalidUrl], details: '' }
const newRestaurant = { status: 404, code: 'restaurant-not-found', errors: [takenItem], details: 'None.' }

/** Imports a file with a restaurant, a menu and a link. The platform rejects the faulty operation with `problem`. */
async function imported(faulty: string | null, validateOnly: boolean, problem: object = invalid) {
  const stored: string[] = []
  async function call({ name }: Operation, request: Call): Promise<unknown> {
    if (name === faulty) throw new Rejected(problem as never)
    if (request?.query?.['validate-only'] !== true) stored.push(name)
    return undefined
  }
  const bundle = {
    file: 'aurora.json',
    apiKey: 'r1',
    restaurant: PutRestaurant.examples.response,
    menu: PutMenu.examples.response,
    link: { kind: 'webhook', url: 'http://kitchen.example/', secret: `whsec_${'A'.repeat(43)}=` },
    at: { restaurant: '/restaurant', menu: '/menu', link: '/link' },
  }
  const { faults } = await importBundle({ call } as unknown as Api, bundle, {
    validateOnly,
    importedKeys: new Set(['r1']),
  })
  return { stored, faults: faults.map(({ pointer }) => pointer) }
}

test('an import validates the whole file, then stores restaurant, menu and link', async () => {
  const stored = ['put-restaurant', 'put-menu', 'put-restaurant-link']
  expect(await imported(null, false)).toEqual({ stored, faults: [] })
})

test('a file with a link that the platform refuses changes nothing, and its fault is reported once', async () => {
  expect(await imported('put-restaurant-link', false)).toEqual({ stored: [], faults: ['/link/url'] })
})

test('--validate-only reports a link that the platform would refuse, and stores nothing', async () => {
  expect(await imported('put-restaurant-link', true)).toEqual({ stored: [], faults: ['/link/url'] })
  expect(await imported(null, true)).toEqual({ stored: [], faults: [] })
})

test("a new restaurant with another restaurant's item in its menu stores nothing, not even the restaurant", async () => {
  const faults = ['/menu/0/items/0/apiKey']
  expect(await imported('put-menu', false, newRestaurant)).toEqual({ stored: [], faults })
})
