import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { cast, plainItems, readOrder, stack } from './client.ts'

/*
 * The steps of a developer with the document: generate a client, write code with its types, compile, order. The programs are text,
 * because their imports do not exist before the test runs.
 */

const root = join(import.meta.dirname, '../..')
const folder = join(root, '.run/generated-clients')
const generators = join(root, 'tests/clients')
const run = promisify(execFile)

type PlaceOrder = (given: {
  gateway: string
  accessKey: string
  restaurant: string
  item: string
}) => Promise<{ apiKey: string | null; cents: number; refusedAs: string }>

const GIVEN = `{ gateway, accessKey, restaurant, item }: Record<'gateway' | 'accessKey' | 'restaurant' | 'item', string>`

const ORDER = `{
    restaurantApiKey: restaurant,
    items: [{ apiKey: item }, { apiKey: item, comments: 'well done, please' }],
    method: 'pickup',
    payment: 'card',
    card: {
      cardholderName: 'Maria Lindqvist',
      cardholderStreetAddress: '316 W Washington Ave',
      cardholderZip: '53703',
      cvv: '314',
      cardNumber: '4242424242424242',
      expirationMonth: '09',
      expirationYear: '31',
    },
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
  }`

const ANSWER = `if (!placed.data) throw new Error(placed.error.details)
  if (!refused.error) throw new Error('was not refused')
  const total: number = placed.data.total
  const state: 'DUE' | 'AUTHORIZED' | 'CHARGED' | string = placed.data.paymentState
  return { apiKey: placed.data.apiKey, cents: Math.round(total * 100), state, refusedAs: refused.error.code }`

const clients = {
  'openapi-typescript and openapi-fetch': {
    folder: 'openapi-fetch',
    async generate(document: string, out: string) {
      await runGenerator('openapi-typescript', 'bin/cli.js', [document, '--output', join(out, 'schema.d.ts')])
    },
    program: `import createClient from 'openapi-fetch'
import type { components, paths } from './schema.d.ts'

type OrderRequest = components['schemas']['OrderRequest']

export async function placeOrder(${GIVEN}) {
  const client = createClient<paths>({ baseUrl: gateway, headers: { 'X-Access-Token': accessKey } })
  const body: OrderRequest = ${ORDER}
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const placed = await client.POST('/publicapi/v1/send-order', { body, params: { header: headers } })
  const refused = await client.POST('/publicapi/v1/send-order', { body: { ...body, tip: -3 } })
  // @ts-expect-error -- there are two methods
  const wrong: OrderRequest = { ...body, method: 'fly' }
  void wrong
  ${ANSWER}
}
`,
  },
  'Hey API': {
    folder: 'hey-api',
    async generate(document: string, out: string) {
      const settings = ['--input', document, '--output', join(out, 'client'), '--silent', '--no-log-file']
      await runGenerator('@hey-api/openapi-ts', 'bin/run.js', settings)
    },
    program: `import { createClient } from './client/client'
import { sendOrder } from './client/sdk.gen'
import type { OrderRequest } from './client/types.gen'

export async function placeOrder(${GIVEN}) {
  const client = createClient({ baseUrl: gateway, auth: accessKey })
  const body: OrderRequest = ${ORDER}
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const placed = await sendOrder({ client, body, headers })
  const refused = await sendOrder({ client, body: { ...body, tip: -3 } })
  // @ts-expect-error -- there are two methods
  const wrong: OrderRequest = { ...body, method: 'fly' }
  void wrong
  ${ANSWER}
}
`,
  },
}

async function runGenerator(name: string, script: string, settings: string[]): Promise<void> {
  const manifest = createRequire(join(generators, 'package.json')).resolve(`${name}/package.json`)
  const hook = pathToFileURL(join(generators, 'typescript-5.ts')).href
  await run(process.execPath, [join(dirname(manifest), script), ...settings], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: `--import=${hook}` },
  })
}

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'esnext',
  lib: ['esnext', 'dom', 'dom.iterable'],
  types: [],
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
}

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const answer = await fetch(`${stack().gateway}/openapi.json`)
  await writeFile(join(folder, 'openapi.json'), await answer.text())
})

test.each(Object.entries(clients))(
  'a client that %s makes compiles, and places an order',
  async (_name, client) => {
    const out = join(folder, client.folder)
    await mkdir(out)
    await client.generate(join(folder, 'openapi.json'), out)
    await writeFile(join(out, 'program.ts'), client.program)
    await writeFile(join(out, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
    const compiled = await run(join(root, 'node_modules/.bin/tsc'), ['--project', out]).catch(
      (error: unknown) => error as { stdout: string },
    )
    expect(compiled.stdout).toBe('')

    const { placeOrder } = (await import(join(out, 'program.ts'))) as { placeOrder: PlaceOrder }
    const [item] = await plainItems(cast.aurora)
    const { gateway, accessKey } = stack()
    const placed = await placeOrder({ gateway, accessKey, restaurant: cast.aurora, item: item!.apiKey })
    expect(placed.refusedAs).toBe('tip-out-of-range')
    const order = await readOrder(placed.apiKey ?? '')
    expect(order).toMatchObject({ apiKey: placed.apiKey, payment: 'card' })
    expect(Math.round(order.total * 100)).toBe(placed.cents)
  },
)
