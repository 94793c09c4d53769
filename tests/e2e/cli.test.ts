import type { ValidatedOrder } from '@platter/contracts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { simulatorLink } from '../../dev/simulators/src/link.ts'
import {
  anOrder,
  card,
  seedRestaurants,
  eventually,
  get,
  authorizationsOf,
  sendOrder,
  stack,
  type MenuCategory,
  type Order,
  paidByCard,
  validate,
} from './client.ts'
import { retry } from './incidents.ts'
import { ownStack } from './stack.ts'
import { menuItem, menuOf, newKey, restaurantInput } from './own-restaurant.ts'
import { plant, plantOverdue } from './planted.ts'
import { MAIN, platter as runPlatter, platterAtTerminal, platterProcess } from './platter.ts'

/** Returns the environment of a command: the platform under test and its operator key. */
const environmentWith = (environment: Record<string, string> = {}) => {
  const { gateway: PLATTER_URL, operatorKey: PLATTER_OPERATOR_KEY } = stack()
  return { PLATTER_URL, PLATTER_OPERATOR_KEY, ...environment }
}
const platter = (args: readonly string[], environment = {}) => runPlatter(args, environmentWith(environment))

const json = async <T>(...args: string[]): Promise<T> => {
  const { code, stdout, stderr } = await platter([...args, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as T
}

const folder = mkdtempSync(join(tmpdir(), 'platter-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('platter creates an application, and issues, lists, rotates and revokes its access key', async () => {
  const { id } = await json<{ id: string }>('applications', 'create', 'Lunch for teams')
  const issued = await platter(['keys', 'issue', '--application', id])
  const key = issued.stdout.trim()
  expect([issued.code, key]).toEqual([0, expect.stringMatching(/^platter_live_[0-9A-Za-z]{36}$/)])
  expect((await get('restaurant/search?limit=1', { key })).status).toBe(200)
  const [listed] = await json<{ id: string }[]>('keys', 'list', '--application', id)
  const rotated = await json<{ id: string }>('keys', 'rotate', listed?.id ?? '', '--overlap', '0')
  const revoked = await platter(['keys', 'revoke', rotated.id])
  expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringContaining('is revoked')])
  const list = await platter(['keys', 'list', '--application', id])
  expect(list.stdout).toMatch(/begins with/)
  expect(list.stdout).not.toContain(key)
})

test('restaurants import reports the faults of invalid files and imports the valid files', async () => {
  const [good, bad] = [newKey(), newKey()]
  const menu = menuOf([menuItem(8)])
  writeFileSync(join(folder, 'good.json'), JSON.stringify({ ...restaurantInput, apiKey: good }))
  writeFileSync(join(folder, 'good.menu.json'), JSON.stringify(menu))
  const faulty = {
    restaurant: { ...restaurantInput, apiKey: bad, taxRate: 7 },
    menu: [{ ...menu[0], items: [menuItem(-1)] }],
    link: { kind: 'fax' },
  }
  writeFileSync(join(folder, 'bad.json'), JSON.stringify(faulty))
  writeFileSync(join(folder, 'torn.json'), '{')

  const dry = await platter(['restaurants', 'import', folder, '--validate-only'])
  expect([dry.code, dry.stdout]).toEqual([1, '2 of 4 files could be imported.\n'])
  expect((await get(`restaurant/${good}`)).status).toBe(404)

  const { code, stdout, stderr } = await platter(['restaurants', 'import', folder])
  expect([code, stdout]).toEqual([1, '2 of 4 files imported.\n'])
  for (const fault of ['/restaurant/taxRate', '/menu/0/items/0/basePrice', '/link/kind', 'torn.json'])
    expect(stderr).toContain(fault)
  const { body } = await get<MenuCategory[]>(`restaurant/${good}/menu`)
  expect(body[0]?.items).toHaveLength(1)
  expect((await get(`restaurant/${bad}`)).status).toBe(404)
  const { url, secret } = simulatorLink(ownStack().urls.simulators, 'accepts')
  const secretFile = join(folder, 'kitchen.secret')
  writeFileSync(secretFile, `${secret}\n`)
  const linked = await platter(['restaurants', 'link', good, '--webhook', url, '--secret-file', secretFile])
  expect([linked.code, linked.stdout]).toEqual([
    0,
    `Orders reach ${good} by webhook; it reports in detail.\n`,
  ])
})

test('the restaurants of the development seed are valid for import', async () => {
  const seed = fileURLToPath(new URL('../../dev/seed/restaurants', import.meta.url))
  const { code, stderr } = await platter(['restaurants', 'import', seed, '--validate-only'])
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('/link')])
})

test('orders show prints the timeline of a failed order, without colours outside a terminal', async () => {
  const order = await anOrder(seedRestaurants.refuses, { payment: 'card', card: card(), tip: 31.13 })
  const { total } = (await validate<ValidatedOrder>(order)).body
  await sendOrder(order)
  const apiKey = (await authorizationsOf(total)).at(-1)?.reference ?? ''
  const { code, stdout } = await platter(['orders', 'show', apiKey])
  expect(code).toBe(0)
  for (const fragment of [
    'hidden from clients',
    'order-refused',
    'status PROCESSING',
    'last change of the payment: voided',
    'saga failed',
  ])
    expect(stdout).toContain(fragment)
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/\u001B/)
})

test('orders show finds an order by its number, and prints its apiKey', async () => {
  const { body } = await sendOrder(await anOrder(seedRestaurants.console))
  const { code, stdout } = await platter(['orders', 'show', String(body.id)])
  expect([code, stdout]).toEqual([0, expect.stringContaining(`Order ${body.id}  ${body.apiKey}`)])
})

test('orders cancel requires --yes in a script; otherwise it exits with 2 and cancels no order', async () => {
  const { body: order } = await sendOrder(await anOrder(seedRestaurants.console))
  const cancel = ['orders', 'cancel', String(order.id), '--reason', 'Power failure']
  const unconfirmed = await platter(cancel)
  expect(unconfirmed.code).toBe(2)
  expect(unconfirmed.stderr).toContain('--yes')
  expect(await json('orders', 'show', String(order.id))).toMatchObject({ order: { cancellation: null } })
  expect(await json(...cancel, '--yes')).toMatchObject({ cancellation: { cancelledBy: 'operator' } })
})

test('Ctrl+C and Ctrl+D at the confirmation cancel no order, and end with a sentence', async () => {
  const { body: order } = await sendOrder(await anOrder(seedRestaurants.console))
  const cancel = ['orders', 'cancel', String(order.id), '--reason', 'Power failure']
  for (const keys of ['\u0003', '\u0004']) {
    const { code, output } = await platterAtTerminal(cancel, keys, environmentWith())
    expect([code, output.split('\r\n').slice(1)]).toEqual([1, [expect.stringContaining('Nothing'), '']])
  }
  expect(await json('orders', 'show', String(order.id))).toMatchObject({ order: { cancellation: null } })
})

test('orders find accepts number and phone; orders refund shows the amount, and needs --yes', async () => {
  const { body: order } = await sendOrder({
    ...(await anOrder(seedRestaurants.aurora)),
    payment: 'card',
    card: card(),
  })
  const found = await json<{ id: number }[]>(
    'orders',
    'find',
    '--number',
    `#${order.id}`,
    '--phone',
    '+1 608 555 0142',
  )
  expect(found.map(({ id }) => id)).toEqual([order.id])
  const listed = await platter(['orders', 'find', '--number', String(order.id)])
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringMatching(/^number +placed +status/)])
  await eventually(
    () => json<{ order: Order }>('orders', 'show', String(order.id)),
    ({ order: { paymentState } }) => paymentState === 'CHARGED',
  )

  const refund = ['orders', 'refund', String(order.id), '--reason', 'missing-item']
  const unclear = await platter(refund)
  expect([unclear.code, unclear.stderr]).toEqual([
    2,
    expect.stringContaining(`--item 0: ${order.items[0]?.name}`),
  ])
  const unconfirmed = await platter([...refund, '--item', '0'])
  expect([unconfirmed.code, unconfirmed.stderr]).toEqual([
    2,
    expect.stringMatching(/in total, to the card[^]*--yes/),
  ])
  expect(await platter([...refund, '--item', '0', '--yes', '--json'])).toMatchObject({ code: 0 })
  const story = await json<{ order: Order }>('orders', 'show', String(order.id))
  expect(story.order.refunds).toMatchObject([
    { reason: 'MISSING_ITEM', items: [{ index: 0 }], requestedBy: 'operator' },
  ])
  const again = await platter([...refund, '--item', '0', '--yes'])
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining('Nothing of this item is left to refund.'),
  ])
})

test('stored control characters are printed escaped', async () => {
  const { body } = await sendOrder(await anOrder(seedRestaurants.aurora))
  await plant(
    `update orders.deliveries set last_result = E'\\u009B2J\\u202Egone' where order_api_key = $1`,
    body.apiKey,
  )
  const show = ['orders', 'show', body.apiKey]
  const [plain, asJson] = [await platter(show), await platter([...show, '--json'])]
  for (const { code, stdout } of [plain, asJson]) {
    expect(code).toBe(0)
    expect(stdout).toContain(String.raw`\u009b2J\u202egone`)
    expect(stdout).not.toMatch(/[\u0080-\u009F\u202E]/)
  }
  expect(JSON.parse(asJson.stdout)).toMatchObject({ delivery: { lastResult: '\u009B2J\u202Egone' } })
})

test('exit 1: the problem of a rejected request is printed, with --json as JSON', async () => {
  const show = ['orders', 'show', 'unknown']
  const [plain, asJson] = await Promise.all([
    platterProcess(show, environmentWith()),
    platterProcess([...show, '--json'], environmentWith()),
  ])
  const stderr = 'There is no order with this apiKey or number. Find it with: platter orders find --help\n'
  expect(plain).toEqual({ code: 1, stdout: '', stderr })
  expect([asJson.code, (JSON.parse(asJson.stdout) as { code: string }).code]).toEqual([1, 'order-not-found'])
})

test('exit 2 for wrong usage, 3 for an unavailable platform, 1 for a key of another kind, 0 for help', async () => {
  const codes = [
    await platterProcess(['nonsense'], environmentWith()),
    await platter(['keys', 'issue']),
    await platter(['reconcile', '--since', 'yesterday']),
    await platter(['restaurants', 'list'], { PLATTER_URL: 'http://127.0.0.1:9' }),
    await platter(['restaurants', 'list'], { PLATTER_OPERATOR_KEY: stack().accessKey }),
  ]
  expect(codes.map(({ code }) => code)).toEqual([2, 2, 2, 3, 1])
  const help = await platter(['--help'])
  expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('Exit codes')])
})

test('exit 1 when the output cannot be written, because a key is shown only once', async () => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [MAIN, 'backup-identity'], { stdio: ['ignore', full, 'pipe'] })
  const stderr = text(child.stderr!)
  const [code] = (await once(child, 'close')) as [number]
  expect([code, await stderr]).toEqual([1, expect.stringContaining('no space left')])
})

test('reconcile finds no mismatch without orders, and exits with 0', async () => {
  const later = String(Math.floor(Date.now() / 1000) + 3_600)
  const quiet = await platter(['reconcile', '--since', later])
  expect(quiet).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('There are no mismatches.') as string,
  })
})

test('attention list prints the incident of an overdue saga, and exits with 1', async () => {
  const apiKey = await paidByCard()
  await plantOverdue(apiKey)
  const { code, stdout } = await platter(['attention', 'list', '--json'])
  const ids = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)
  expect(code).toBe(1)
  expect(ids).toContain(`saga_${apiKey}`)
  await retry(`saga_${apiKey}`)
})

test('--key-file reads the key; completion prints a script per shell and completes commands', async () => {
  const file = join(folder, 'operator.key')
  writeFileSync(file, `${stack().operatorKey}\n`)
  const options = ['--url', stack().gateway, '--key-file', file]
  expect((await platter(['applications', 'list', ...options], { PLATTER_OPERATOR_KEY: '' })).code).toBe(0)
  // Each runs in a separate process, because the completion reads the arguments of its process.
  const scripts = await Promise.all(
    ['bash', 'zsh', 'fish'].map((shell) => platterProcess(['completion', shell])),
  )
  for (const { stdout } of scripts) expect(stdout).toContain('platter')
  expect((await platterProcess(['complete', '--', 'keys', 'ro'])).stdout).toContain('rotate')
})

test('the doctor reports the state of each check, with a remedy for each fault, and exits with 1', async () => {
  ownStack()
  const { code, stdout, stderr } = await platter(['doctor', '--json'])
  expect([code, stderr]).toEqual([1, ''])
  const found = JSON.parse(stdout) as { check: string; state: string; remedy: string }[]
  const stateOf = new Map(found.map(({ check, state }) => [check, state]))
  for (const check of ['services', 'database', 'TLS', 'clock', 'queues', 'schema', 'processor'])
    expect([check, stateOf.get(check)]).toEqual([check, 'ok'])
  // Every development stack has these findings.
  for (const check of ['secrets', 'backup']) expect([check, stateOf.get(check)]).toEqual([check, 'wrong'])
  const faults = found.filter(({ state }) => state !== 'ok')
  expect(faults.filter(({ remedy }) => remedy === '')).toEqual([])
  expect((await platter(['doctor'])).stdout).toMatch(/^check +state +finding\n/)
})
