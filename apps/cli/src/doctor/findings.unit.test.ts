import { expect, test } from 'vitest'
import type { Facts, Health } from '#/doctor/facts.ts'
import { findingsOf } from '#/doctor/findings.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const HOUR = 3_600_000
const at = NOW / 1000
const service = (migration: string) => ({
  database: { at, migration, missingIndexes: [] },
  queues: [{ queue: 'q', waiting: 3 }],
})

const health: Health = {
  development: false,
  clientAddress: '203.0.113.9',
  orders: service('0131_orders'),
  payments: service('0050_payments'),
  processor: { kind: 'stripe', test: false, reachable: true, reason: null, lastEvent: at - 60, charges: 5 },
  redis: true,
}
const healthy: Facts = {
  url: 'https://platter.example.org',
  startedAt: NOW,
  now: NOW,
  gatewayTime: NOW - 1_000,
  lacking: {},
  health,
  incidents: [],
  restaurants: [
    { name: 'Aurora', requireAttendance: true },
    { name: 'Basil', closedReason: 'hours' },
  ],
  accounts: true,
  ownAddresses: ['172.31.84.4'],
  certificate: { validTo: NOW + 60 * 24 * HOUR },
  disks: [{ path: '/', used: 0.4 }],
  backup: { newest: NOW - 9 * HOUR },
  migrations: { orders: '0131_orders', payments: '0050_payments' },
}
const incident = (kind: 'dead-letter' | 'overdue-saga' | 'incidents-unavailable', what = '') => ({
  id: kind,
  kind,
  orderApiKey: null,
  what,
  reason: '',
  count: 1,
  since: at,
})

const badOf = (changes: Partial<Facts>) =>
  findingsOf({ ...healthy, ...changes }).filter(({ state }) => state !== 'ok')
const withHealth = (changes: Partial<Health>): Partial<Facts> => ({ health: { ...health, ...changes } })
const processor = (changes: Partial<NonNullable<Health['processor']>>) =>
  withHealth({
    processor: {
      kind: 'stripe',
      test: false,
      reachable: true,
      reason: null,
      lastEvent: at,
      charges: 5,
      ...changes,
    },
  })

test('a healthy platform passes every check', () => {
  expect(badOf({})).toEqual([])
  expect(findingsOf(healthy).length).toBeGreaterThan(12)
})

test('the clock check accepts a gateway time within the examination, and reports one 6 s before it', () => {
  const slow = { startedAt: NOW - 9_000, gatewayTime: NOW - 9_000 }
  expect(badOf(slow)).toEqual([])
  expect(badOf({ ...slow, gatewayTime: NOW - 15_000 })).toMatchObject([
    { check: 'clock', detail: 'the gateway differs by -6 s' },
  ])
})

test('the proxies check accepts a private client address only when it belongs to this machine', () => {
  expect(badOf(withHealth({ clientAddress: '172.31.84.4' }))).toEqual([])
  expect(badOf(withHealth({ clientAddress: '172.31.84.2' }))).toMatchObject([{ check: 'proxies' }])
})

const situations: [situation: string, changes: Partial<Facts>, checks: string[], detail: string][] = [
  ['an unavailable catalog', { restaurants: null }, ['services', 'attendance'], 'catalog'],
  [
    'an unattended restaurant',
    { restaurants: [{ name: 'Aurora', closedReason: 'unattended' }] },
    ['attendance'],
    'unattended: Aurora',
  ],
  [
    'attendance that is switched off',
    { restaurants: [{ name: 'Basil', requireAttendance: false }] },
    ['attendance'],
    'without attendance: Basil',
  ],
  [
    '12 restaurants without attendance',
    {
      restaurants: Array.from({ length: 12 }, (_, number) => ({
        name: `R${number}`,
        requireAttendance: false,
      })),
    },
    ['attendance'],
    'R8, R9 and 2 more',
  ],
  [
    '12 unattended restaurants of a chain',
    {
      restaurants: ['Aurora', ...Array.from({ length: 12 }, () => 'Pronto'), 'Basil'].map((name) => ({
        name,
        closedReason: 'unattended',
      })),
    },
    ['attendance'],
    'unattended: Aurora, Pronto (12), Basil',
  ],
  ['an unavailable accounts service', { accounts: false }, ['services'], 'accounts'],
  [
    'an unavailable database',
    withHealth({ orders: { ...service('0131_orders'), database: null } }),
    ['database'],
    'orders',
  ],
  ['no TLS', { url: 'http://platter.example.org', certificate: null }, ['TLS'], 'unencrypted'],
  ['an expired certificate', { certificate: { reason: 'certificate has expired' } }, ['TLS'], 'expired'],
  ['a certificate that ends soon', { certificate: { validTo: NOW + 72 * HOUR } }, ['TLS'], 'ends in 3 days'],
  ['a proxy as the client address', withHealth({ clientAddress: '172.18.0.5' }), ['proxies'], '172.18.0.5'],
  ['an unknown client address', withHealth({ clientAddress: null }), ['proxies'], 'no address'],
  ['publicly known secrets', withHealth({ development: true }), ['secrets'], 'publicly known'],
  ['a gateway clock 60 s behind', { gatewayTime: NOW - 60_000 }, ['clock'], 'the gateway differs by -60 s'],
  [
    'a database clock 90 s ahead',
    withHealth({
      orders: { ...service(''), database: { at: at + 90, migration: '0131_orders', missingIndexes: [] } },
    }),
    ['clock'],
    'orders differs by 90 s',
  ],
  ['a full disk', { disks: [{ path: '/', used: 0.95 }] }, ['disk'], '/ 95 %'],
  ['no configured folder of archives', { backup: null }, ['backup'], 'no folder'],
  ['no archive at all', { backup: { newest: null } }, ['backup'], 'no archive'],
  ['an archive that is 30 h old', { backup: { newest: NOW - 30 * HOUR } }, ['backup'], '30 h'],
  ['an unreadable folder of archives', { backup: { reason: 'EACCES' } }, ['backup'], 'EACCES'],
  [
    'a queue with 5,000 messages',
    withHealth({ orders: { ...service('0131_orders'), queues: [{ queue: 'orders.x', waiting: 5_000 }] } }),
    ['queues'],
    'orders.x has 5000',
  ],
  [
    'an unavailable RabbitMQ',
    withHealth({ orders: { ...service('0131_orders'), queues: null } }),
    ['queues'],
    'RabbitMQ',
  ],
  ['an unavailable Redis', withHealth({ redis: false }), ['Redis'], 'counts limits alone'],
  ['a dead letter', { incidents: [incident('dead-letter')] }, ['dead letters'], '1 × dead-letter'],
  ['an incident', { incidents: [incident('overdue-saga')] }, ['incidents'], '1 × overdue-saga'],
  ['an outdated schema', { migrations: { orders: '0132_new', payments: null } }, ['schema'], '0131_orders'],
  [
    'an index that is not built yet',
    withHealth({
      orders: {
        ...service(''),
        database: { at, migration: '0131_orders', missingIndexes: ['orders_of_phone'] },
      },
    }),
    ['schema'],
    'orders_of_phone',
  ],
  [
    'an unavailable processor',
    processor({ reachable: false, reason: 'ECONNREFUSED' }),
    ['processor'],
    'ECONNREFUSED',
  ],
  ['the development processor', processor({ kind: 'development', test: true }), ['processor'], 'no card is'],
  ['a test key of Stripe', processor({ test: true }), ['processor'], 'STRIPE_SECRET_KEY is a test key'],
  ['no webhook event', processor({ lastEvent: null }), ['webhook'], 'none of its events'],
  ['no webhook event for 25 h', processor({ lastEvent: at - 90_000 }), ['webhook'], 'none of its events'],
]

test.each(situations)('reports %s with a remedy', (_, changes, checks, detail) => {
  const bad = badOf(changes)
  expect(bad.map(({ check }) => check)).toEqual(checks)
  expect(bad[0]?.detail).toContain(detail)
  expect(bad[0]?.remedy.length).toBeGreaterThan(10)
})

test('an address without a gateway is one finding, and does not blame the services', () => {
  const [first, ...others] = badOf({
    gatewayTime: null,
    health: null,
    incidents: null,
    restaurants: null,
    accounts: false,
  })
  expect(first).toMatchObject({
    check: 'services',
    state: 'wrong',
    detail: 'no gateway responds at https://platter.example.org',
  })
  expect(others.filter(({ state }) => state !== 'unknown')).toEqual([])
})

test('without accounts, which verifies the operator key, no other service is blamed, and the gateway names what it lacks', () => {
  const lacking = { accounts: 'no result within 1500 ms', orders: 'not ready: postgres' }
  const nothing = { health: null, incidents: null, restaurants: null, accounts: false, lacking }
  const [first, ...others] = badOf(nothing)
  expect(first?.detail).toBe(
    'no response from accounts; the gateway lacks accounts (no result within 1500 ms), orders (not ready: postgres)',
  )
  expect(new Set(others.map(({ state, detail }) => `${state}: ${detail}`))).toEqual(
    new Set(['unknown: without accounts the operator key is not accepted']),
  )
})

test('services that respond and are not ready are wrong: RabbitMQ is out of memory, and no order can be placed', () => {
  const [first] = badOf({ lacking: { orders: 'not ready: rabbitmq' } })
  expect(first).toMatchObject({ check: 'services', state: 'wrong' })
  expect(first?.detail).toBe('the gateway lacks orders (not ready: rabbitmq)')
})

test('without a response of orders, payments is not blamed, because only orders reports it', () => {
  const [services] = badOf({ health: null, incidents: null })
  expect(services?.detail).toBe('no response from orders')
})

test('an unavailable payments service is wrong, and the checks that depend on it are unknown', () => {
  const incidents = [incident('incidents-unavailable', 'unknown-payment')]
  const bad = badOf({ ...withHealth({ payments: null, processor: null }), incidents })
  expect(bad.map(({ check, state, detail }) => `${check} ${state}: ${detail}`)).toEqual([
    'services wrong: no response from payments',
    'incidents unknown: unknown-payment cannot be read',
    'processor unknown: no response from payments',
    'webhook unknown: no response from payments',
  ])
})

test('readable incidents are wrong, and unreadable kinds of incidents are listed beside them', () => {
  const incidents = [
    incident('incidents-unavailable', 'unknown-payment'),
    incident('incidents-unavailable', 'open-dispute'),
    incident('overdue-saga'),
    incident('dead-letter'),
  ]
  expect(badOf({ incidents })).toMatchObject([
    { check: 'dead letters', state: 'wrong', detail: '1 × dead-letter' },
    {
      check: 'incidents',
      state: 'wrong',
      detail: '1 × overdue-saga, unknown-payment cannot be read, open-dispute cannot be read',
    },
  ])
})

test('the checks that depend on orders are unknown without a response of orders', () => {
  const states = new Map(
    findingsOf({ ...healthy, health: null, incidents: null }).map((one) => [one.check, one.state]),
  )
  for (const check of [
    'database',
    'proxies',
    'secrets',
    'queues',
    'Redis',
    'incidents',
    'schema',
    'processor',
    'webhook',
  ])
    expect([check, states.get(check)]).toEqual([check, 'unknown'])
})

test('a platform with a loopback URL needs no TLS, and accepts a loopback client address', () => {
  for (const url of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])
    expect(badOf({ url, certificate: null, ...withHealth({ clientAddress: '127.0.0.1' }) })).toEqual([])
})
