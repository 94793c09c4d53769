import { looksLikeAccessKey, makeAccessKey } from '@platter/kit/security/access-key'
import { startStack } from './stack.ts'

/*
 * What a refusal gives away by how long it takes. On a quiet machine: `node dev/measure-refusals.ts 10000`, the number
 * being the samples of each class.
 */

const SAMPLES = Number(process.argv[2] ?? 10_000)
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const stack = await startStack({
  runDirectory: new URL('../.run/measure-refusals', import.meta.url).pathname,
  fresh: true,
  env: { gateway: { RATE_LIMIT_REQUESTS: '10000000', TRUSTED_PROXIES: '127.0.0.1' } },
})
const { gateway } = stack
const { accessKey, otherAccessKey, operatorKey } = stack.file

async function ask(path: string, key: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(`${gateway}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-access-token': key, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.json() }
}

type Times = { p50: number; p99: number }
const round = (ms: number) => Math.round(ms * 1_000) / 1_000

function timesOf(samples: number[]): Times {
  const sorted = samples.toSorted((one, other) => one - other)
  const at = (share: number) => round(sorted[Math.floor(sorted.length * share)] ?? 0)
  return { p50: at(0.5), p99: at(0.99) }
}

/** Milliseconds of each class, asked in turn, so that whatever else goes on befalls all alike. */
async function compare(classes: Record<string, (at: number) => Promise<{ status: number }>>) {
  const samples = Object.fromEntries(Object.keys(classes).map((name) => [name, [] as number[]]))
  for (let at = 0; at < SAMPLES; at++) {
    for (const [name, once] of Object.entries(classes)) {
      const begun = performance.now()
      await once(at)
      samples[name]?.push(performance.now() - begun)
    }
  }
  const times = Object.fromEntries(Object.entries(samples).map(([name, of]) => [name, timesOf(of)]))
  const medians = Object.values(times).map(({ p50 }) => p50)
  const difference = round(Math.max(...medians) - Math.min(...medians))
  return { ...times, 'difference of the medians': difference }
}

// Checksums --------------------------------------------------------------------------------------------------

const random36 = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(36)), (byte) => BASE62[byte % 62]).join('')
const taken = Array.from({ length: 1_000_000 }, () => looksLikeAccessKey(`platter_live_${random36()}`))
console.log('of a million random keys the checksum takes', taken.filter(Boolean).length)

// Access keys ------------------------------------------------------------------------------------------------

const SEARCH = '/publicapi/v1/restaurant/search?limit=1'
/** Bad keys are held off by network, so each request comes from another one. */
const from = (at: number, kind: number) => ({
  'x-forwarded-for': `10.${kind}.${(at >> 8) & 255}.${at & 255}`,
})
const { body: application } = (await ask('/operatorapi/v1/applications', operatorKey, {
  name: 'measured',
})) as { body: { id: string } }
const { body: issued } = (await ask(
  `/operatorapi/v1/applications/${application.id}/access-keys`,
  operatorKey,
  {},
)) as { body: { id: string; accessKey: string } }
await ask(`/operatorapi/v1/access-keys/${issued.id}/revoke`, operatorKey, {})
// Each the same one again and again, as whoever tries a key out would: what was found out of it is remembered of all alike.
const unknown = makeAccessKey('live')
console.log(
  'a bad key, ms:',
  await compare({
    unknown: (at) => ask(SEARCH, unknown, undefined, from(at, 1)),
    revoked: (at) => ask(SEARCH, issued.accessKey, undefined, from(at, 2)),
    mistyped: (at) => ask(SEARCH, `${accessKey.slice(0, -1)}!`, undefined, from(at, 3)),
  }),
)

// Objects ----------------------------------------------------------------------------------------------------

const person = (email: string) => ({
  firstName: 'Maria',
  lastName: 'Lindqvist',
  phone: '608-555-0142',
  email,
  password: 'a long enough password',
})
const { body: theirs } = (await ask(
  '/publicapi/v1/register-user',
  otherAccessKey,
  person('maria@example.org'),
)) as { body: { apiKey: string } }
const absent = '0'.repeat(48)
console.log(
  'a user, ms:',
  await compare({
    absent: () => ask(`/publicapi/v1/user/${absent}`, accessKey),
    foreign: () => ask(`/publicapi/v1/user/${theirs.apiKey}`, accessKey),
  }),
)

const AURORA = 'f4f7bdddedd6fb15f517e8f07c36feac3a10071975783f70'
type Menu = { items: { apiKey: string; customizationGroups: { minCount: number }[] }[] }[]
const { body: menu } = (await ask(
  `/publicapi/v1/restaurant/${AURORA}/menu?includeCustomizations=true`,
  accessKey,
)) as { body: Menu }
const item = menu
  .flatMap(({ items }) => items)
  .find(({ customizationGroups }) => customizationGroups.every(({ minCount }) => minCount === 0))
const sendOrder = (key: string) =>
  ask('/publicapi/v1/send-order', key, {
    restaurantApiKey: AURORA,
    items: [{ apiKey: item?.apiKey }, { apiKey: item?.apiKey }],
    method: 'pickup',
    payment: 'cash',
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
  })
const { body: order } = (await sendOrder(otherAccessKey)) as { body: { apiKey: string } }
console.log(
  'an order, ms:',
  await compare({
    absent: () => ask(`/publicapi/v1/order/${absent}`, accessKey),
    foreign: () => ask(`/publicapi/v1/order/${order.apiKey}`, accessKey),
  }),
)

await stack.stop()
