import { AccountsResolve } from '@platter/contracts'
import { Problem } from '@platter/kit'
import { beforeEach, expect, test } from 'vitest'
import { isVisible, newOrder, type OrderOutcome } from '#/domain/order-state.ts'
import { findVisibleOrder, readAndMark, type Deps } from '#/reading/visibility.ts'
import type { OrderRow } from '#/store/order-row.ts'
import type { Stores } from '#/store/stores.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

type Row = {
  applicationId: string
  recipientApiKey: string | null
  outcome: OrderOutcome
  isRead: boolean
  reads: number
}

/** The orders of all applications. Row-level security shows those of the tenant. */
let rows: Map<string, Row>
/** Commits of another replica between a read and its mark. */
let beforeMark: (() => void)[]
/** The questions to accounts, and the users of the requesting application. */
let questions: Record<string, unknown>[]
let ownUsers: string[]

beforeEach(() => {
  rows = new Map()
  beforeMark = []
  questions = []
  ownUsers = []
})

function place(apiKey: string, row: Partial<Row> = {}): void {
  rows.set(apiKey, {
    applicationId: 'app',
    recipientApiKey: null,
    outcome: 'pending',
    isRead: false,
    reads: 0,
    ...row,
  })
}
const change = (apiKey: string, outcome: OrderOutcome) => () =>
  place(apiKey, { ...rows.get(apiKey), outcome })

function readOrder(apiKey: string): OrderRow | null {
  const row = rows.get(apiKey)
  if (!row) return null
  const order = newOrder(apiKey, pricedOrder(), 1_790_000_000)
  const found = { ...order, ...row, isReturned: false }
  if (!isVisible(found)) return null
  row.reads += 1
  return found
}

const asStore = (store: Partial<Stores['orders']>) => store as Stores['orders']

const orders = asStore({
  recipientOf: async (apiKey) => rows.get(apiKey)?.recipientApiKey ?? null,
  async markReadIfPending(apiKey) {
    beforeMark.shift()?.()
    const row = rows.get(apiKey)
    if (row?.outcome !== 'pending') return false
    row.isRead = true
    return true
  },
})

const deps: Deps = {
  orders,
  tenantStores: ({ applicationId, userApiKey }) => {
    const isOwn = (row?: Row) =>
      userApiKey === undefined ? row?.applicationId === applicationId : row?.recipientApiKey === userApiKey
    const find = async (apiKey: string) => (isOwn(rows.get(apiKey)) ? readOrder(apiKey) : null)
    return { orders: asStore({ find }) } as Partial<Stores> as Stores
  },
  bus: {
    ask: async (question, data) => {
      if (question.name !== AccountsResolve.name) throw new Error(`${question.name} is not expected`)
      questions.push(data as Record<string, unknown>)
      const isOwnUser = ownUsers.includes((data as { recipientApiKey: string }).recipientApiKey)
      const faults = isOwnUser
        ? []
        : [{ code: 'user-not-found', pointer: '/recipient/apiKey', detail: 'because' }]
      const noResults = { recipient: null, card: null, address: null, newCard: null, newAddress: null }
      return question.reply.parse({ faults, ...noResults })
    },
  },
}

const find = async (apiKey: string) =>
  (await findVisibleOrder(deps, apiKey, { applicationId: 'app', requestId: 'q' })).order
const refusalOf = (apiKey: string) =>
  find(apiKey).then(
    () => null,
    (error: unknown) => (error instanceof Problem ? error.code : error),
  )

test('a read marks a pending order, which stays visible after it fails', async () => {
  place('o1')
  expect(await find('o1')).toMatchObject({ apiKey: 'o1', status: 'PROCESSING' })
  change('o1', 'failed')()
  expect(await find('o1')).toMatchObject({ apiKey: 'o1' })
})

test('an order that fails between its read and its mark is not shown', async () => {
  place('o1')
  beforeMark.push(change('o1', 'failed'))
  expect(await refusalOf('o1')).toBe('order-not-found')
})

test('an order that its restaurant accepts between its read and its mark is read again', async () => {
  place('o1')
  beforeMark.push(change('o1', 'transmitted'))
  expect(await find('o1')).toMatchObject({ outcome: 'transmitted' })
  expect(rows.get('o1')?.reads).toBe(2)
})

test('readAndMark marks every pending order of a page, and drops orders that failed meanwhile', async () => {
  for (const apiKey of ['o1', 'o2', 'o3']) place(apiKey)
  place('o4', { outcome: 'transmitted' })
  beforeMark.push(() => undefined, change('o2', 'failed'))
  const read = async () => ({ orders: [...rows.keys()].flatMap((apiKey) => readOrder(apiKey) ?? []) })
  const { orders: page } = await readAndMark(orders, read)
  expect(page.map(({ apiKey }) => apiKey)).toEqual(['o1', 'o3', 'o4'])
  expect([...rows.values()].map(({ isRead }) => isRead)).toEqual([true, false, true, false])
})

test('the application of the recipient sees an order that another application has placed', async () => {
  place('o1', { applicationId: 'other', recipientApiKey: 'u1' })
  ownUsers = ['u1']
  expect(await find('o1')).toMatchObject({ apiKey: 'o1', applicationId: 'other' })
  expect(rows.get('o1')?.isRead).toBe(true)
})

test.each([
  ['of another application for its own user', { applicationId: 'other', recipientApiKey: 'u2' }],
  ['of another application for a guest', { applicationId: 'other' }],
])('an order %s is not found, and neither read nor marked', async (_, row) => {
  place('o1', row)
  ownUsers = ['u1']
  expect(await refusalOf('o1')).toBe('order-not-found')
  expect(rows.get('o1')).toMatchObject({ reads: 0, isRead: false })
})

test('a foreign order and an unknown order each send one question to accounts', async () => {
  place('o1', { applicationId: 'other', recipientApiKey: 'u2' })
  place('o2', { applicationId: 'other' })
  for (const apiKey of ['o1', 'o2', 'unknown']) expect(await refusalOf(apiKey)).toBe('order-not-found')
  expect(questions.map(({ recipientApiKey }) => recipientApiKey)).toEqual(['u2', 'none', 'none'])
  for (const question of questions) expect(question).toMatchObject({ applicationId: 'app', cardApiKey: null })
})
