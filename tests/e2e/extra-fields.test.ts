import {
  AddAddress,
  AddCard,
  RegisterUser,
  SendOrder,
  templateOf,
  UpdateUser,
  ValidateOrder,
  type Operation,
} from '@platter/contracts'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { anOrder, card, seedRestaurants, home, maria, post, register, expectConforms } from './client.ts'

/** The part of JSON Schema that the bodies of the document use. */
type Schema = {
  $ref?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
}
type Documented = { requestBody?: { content: { 'application/json': { schema: Schema } } } }

const document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Documented>>
  components: { schemas: Record<string, Schema> }
}

const bodySchemaOf = ({ method, path }: Operation): Schema =>
  document.paths[templateOf(path)]?.[method.toLowerCase()]?.requestBody?.content['application/json'].schema ??
  {}

/** Fields that an attacker may try to set (OWASP API3:2023, mass assignment). */
const SENSITIVE_NAMES =
  `isAdmin admin role roles isTest testMode applicationId clientId clientApplicationId ownerId userId
  accountId tenantId internal debug verified emailVerified passwordHash token cardToken scope scopes permissions
  discount coupon price amount currency paid approved locked deleted createdAt updatedAt version state saga step
  principal accessKeyId restaurantId orderId __v $set id_ override force skipPayment free balance credit`.split(
    /\s+/,
  )

/** The sensitive names, and the name of every field of every record, each also in snake case. */
const NAMES = [
  ...new Set([...SENSITIVE_NAMES, ...Object.values(document.components.schemas).flatMap(namesIn)]),
].flatMap((name) => [...new Set([name, name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])])

function namesIn(schema: Schema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [name, ...namesIn(inner)])
}

const VALUES = [true, 1, 'DELIVERED', null, 0, '0', {}]

/** Returns the body with additional members in every object: all names that its schema does not have. */
function withExtras(value: unknown, schemas: Schema[]): unknown {
  const known = schemas.flatMap(alternatives)
  if (Array.isArray(value)) {
    const items = known.flatMap((schema) => (schema.items ? [schema.items] : []))
    return value.map((one) => withExtras(one, items))
  }
  if (typeof value !== 'object' || value === null) return value
  const names = new Set(known.flatMap((schema) => Object.keys(schema.properties ?? {})))
  const extras = NAMES.filter((name) => !names.has(name)).map((name, at) => [
    name,
    VALUES[at % VALUES.length],
  ])
  const own = Object.entries(value).map(([name, inner]) => [
    name,
    withExtras(
      inner,
      known.flatMap((schema) => schema.properties?.[name] ?? []),
    ),
  ])
  return Object.fromEntries([...extras, ...own]) as unknown
}

const alternatives = (schema: Schema): Schema[] => {
  const referenced = document.components.schemas[schema.$ref?.split('/').at(-1) ?? '']
  if (referenced) return alternatives(referenced)
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(alternatives)]
}

/** Members whose values the client neither sends nor chooses. Only their names are compared. */
const DIFFERENT = /^(apiKey|id|date|datePlaced|warnings)$/
const comparable = (body: unknown): unknown =>
  JSON.parse(
    JSON.stringify(body).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}@/g, '@'),
    (name, value: unknown) => (DIFFERENT.test(name) ? 'present' : value),
  )

const email = () => `extra.${crypto.randomUUID()}@example.org`
const pickup = () => anOrder(seedRestaurants.aurora)
const delivery = async () => ({
  ...(await pickup()),
  method: 'delivery',
  payment: 'card',
  card: card(),
  address: home,
  recipient: { ...maria, email: 'maria@example.org' },
})

const cases: [Operation, () => Promise<{ path: string; body: Record<string, unknown> }>][] = [
  [ValidateOrder, async () => ({ path: 'validate-order', body: await delivery() })],
  [SendOrder, async () => ({ path: 'send-order', body: await delivery() })],
  [SendOrder, async () => ({ path: 'send-order', body: await pickup() })],
  [
    RegisterUser,
    async () => ({
      path: 'register-user',
      body: { ...maria, email: email(), password: 'a long enough password' },
    }),
  ],
  [
    UpdateUser,
    async () => ({ path: `update-user/${(await register()).apiKey}`, body: { firstName: 'Mia' } }),
  ],
  [AddCard, async () => ({ path: `user/${(await register()).apiKey}/add-card`, body: card() })],
  [AddAddress, async () => ({ path: `user/${(await register()).apiKey}/add-address`, body: home })],
]

test('the list has more than 200 extra field names', () => {
  expect(NAMES.length).toBeGreaterThan(200)
})

test.each(cases.map(([operation, make]) => [operation.name, operation, make] as const))(
  '%s ignores unknown fields in every object of its body, and lists them in X-Ignored-Fields',
  async (_, operation, make) => {
    const plain = await make()
    const other = await make()
    const without = await post(plain.path, plain.body)
    const extras = withExtras(other.body, [bodySchemaOf(operation)])
    const response = await post(other.path, extras)
    expect(response.status).toBe(200)
    expectConforms(operation, response.body)
    expect(response.headers.get('x-ignored-fields')).toMatch(/^\w.*, \.\.\.$/)
    const [one, another] = [without, response].map(({ body }) => comparable(body))
    expect(another).toEqual(one)
  },
)
