import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cents } from '@platter/contracts'
import { createLog, readConfig, type Parts } from '@platter/kit'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createDevelopmentProcessor } from '../../../services/payments/src/outside/development-processor.ts'
import type { Processor } from '../../../services/payments/src/outside/processor.ts'
import { createSettle, NeedsPerson, type Settle } from '../../../services/payments/src/settle.ts'
import { memoryAuthorizations } from '../../../services/payments/src/testing/memory-authorizations.ts'
import {
  ANSWER_WITHIN_MS,
  IMPATIENT_MS,
  SLOW_MS,
} from '../../../services/payments/src/testing/processor-contract.ts'
import { Config } from './config.ts'
import { FAULTS, type Fault, type Kind } from './faults.ts'
import type { Entry } from './ledger.ts'
import { wire } from './wire.ts'

const log = createLog('test', 'silent')
const directory = mkdtempSync(join(tmpdir(), 'platter-faults-'))
const LEDGER_FILE = join(directory, 'ledger.jsonl')
const CARD = { cardNumber: '4242424242424242', cvv: '123', expirationMonth: '05', expirationYear: '39' }
const AMOUNT = cents(1075)

let parts: Parts
let url: string
let processor: Processor
/** Its timer starts before that of a slow answer and is shorter, so that it ends first on any machine. */
let impatient: Processor
let settle: Settle
let settleImpatiently: Settle
let token: string
const authorizations = memoryAuthorizations()

const configured = (environment: object = {}) =>
  readConfig(Config, { PORT: '0', LOG_LEVEL: 'fatal', LEDGER_FILE, ...environment })

beforeAll(async () => {
  parts = wire(configured(), log)
  url = await parts.app.listen({ host: '127.0.0.1', port: 0 })
  processor = createDevelopmentProcessor(url, ANSWER_WITHIN_MS)
  impatient = createDevelopmentProcessor(url, IMPATIENT_MS)
  settle = createSettle({ authorizations, processor, log })
  settleImpatiently = createSettle({ authorizations, processor: impatient, log })
  const made = await processor.tokenize(CARD)
  if (made.kind !== 'yes') throw new Error('no token')
  ;({ token } = made)
})
beforeEach(() => ask('DELETE'))
afterAll(async () => {
  await Promise.all([processor.close(), impatient.close()])
  await parts.app.close()
  await parts.close?.()
  rmSync(directory, { recursive: true })
})

async function ask(method: 'GET' | 'PUT' | 'DELETE', plan?: object) {
  const { statusCode, body } = await parts.app.inject({
    method,
    url: '/faults',
    ...(plan && { payload: plan }),
  })
  return { status: statusCode, body: JSON.parse(body) as unknown }
}

const effects = (reference: string, file = LEDGER_FILE) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry)
    .filter((entry) => entry.reference === reference)
    .map(({ kind, amount }) => `${kind} ${amount}`)

// What the services make of it ------------------------------------------------------------------------------

type Command = 'authorize' | 'capture' | 'release'

async function said(orderApiKey: string, kind: Command, by = settle) {
  if (kind === 'authorize') {
    const row = await authorizations.send(orderApiKey, { amount: AMOUNT, token })
    return by({ kind, amount: AMOUNT, token }, row)
  }
  if (kind === 'release') return by({ kind }, await authorizations.requestRelease(orderApiKey))
  return by({ kind, amount: AMOUNT }, (await authorizations.find(orderApiKey))!)
}

/**
 * Says a command until it is answered, as the saga does, the first time by `first`: on a busy machine an impatient one might
 * never have an answer. Gives the answer and what it met on the way there.
 */
async function until(orderApiKey: string, kind: Command, first = settle) {
  const met: string[] = []
  for (let by = first; ; by = settle) {
    const outcome = await said(orderApiKey, kind, by).catch((error: unknown) => {
      if (!(error instanceof NeedsPerson)) throw error
      met.push('for a person')
    })
    if (outcome) return { outcome, met }
    if (outcome === null) met.push('unknown')
    await wait(20)
  }
}

/** For each kind of request a story in which it comes up, and the lines that are left of it. */
const STORIES: Record<Exclude<Kind, 'tokenize' | 'find'>, { says: Command[]; lines: string[] }> = {
  authorize: { says: ['authorize'], lines: ['authorize 1075'] },
  capture: { says: ['authorize', 'capture'], lines: ['authorize 1075', 'capture 1075'] },
  void: { says: ['authorize', 'release'], lines: ['authorize 1075', 'void 1075'] },
  refund: {
    says: ['authorize', 'capture', 'release'],
    lines: ['authorize 1075', 'capture 1075', 'refund 1075'],
  },
}
const cases = Object.entries(STORIES).flatMap(([on, story]) =>
  FAULTS.map((fault) => ({ fault, on: on as Kind, ...story })),
)

test.each(cases)(
  '$fault on $on: one effect, and the right answer in the end',
  async ({ fault, on, says, lines }) => {
    const order = `${fault}-${on}`
    await ask('PUT', { rules: [{ fault, on: [on], next: 1, ms: SLOW_MS }] })
    const met: string[] = []
    for (const kind of says) {
      const answered = await until(order, kind, fault === 'slow' ? settleImpatiently : settle)
      expect(answered.outcome).toMatchObject({ kind: 'done' })
      met.push(...answered.met)
    }
    // What is to be given back is given back also when the amount is another one; the log says so.
    const isGivenBack = on === 'void' || on === 'refund'
    const wrongAmount = isGivenBack ? [] : ['for a person']
    expect(new Set(met)).toEqual(new Set(fault === 'wrong-amount' ? wrongAmount : ['unknown']))
    expect(effects(order)).toEqual(lines)
  },
)

test('a release finds the hold whose answer was lost, and gives it back', async () => {
  await ask('PUT', { rules: [{ fault: 'drop-reply', on: ['authorize'], next: 2 }] })
  expect(await said('lost', 'authorize')).toBeNull()
  expect(await until('lost', 'release')).toMatchObject({ outcome: { kind: 'done' }, met: ['unknown'] })
  expect(effects('lost')).toEqual(['authorize 1075', 'void 1075'])
})

test('under all faults at once every order ends as it should, and the ledger has each effect once', async () => {
  const often = FAULTS.filter((fault) => fault !== 'wrong-amount')
  await ask('PUT', { seed: 7, rules: often.map((fault) => ({ fault, probability: 0.1, ms: SLOW_MS })) })
  const orders = Array.from({ length: 40 }, (_, number) => ({
    order: `all-${number}`,
    keeps: number % 2 === 0,
  }))
  await Promise.all(
    orders.map(async ({ order, keeps }) => {
      await until(order, 'authorize', settleImpatiently)
      await until(order, keeps ? 'capture' : 'release', settleImpatiently)
    }),
  )
  const { body } = await ask('GET')
  expect(Object.keys((body as { happened: object }).happened)).toHaveLength(often.length)
  for (const { order, keeps } of orders)
    expect(effects(order)).toEqual(['authorize 1075', keeps ? 'capture 1075' : 'void 1075'])
})

// The ledger ------------------------------------------------------------------------------------------------

test.each<[Fault, boolean]>([
  ['drop-request', false],
  ['drop-reply', true],
  ['error-after-effect', true],
  ['in-progress', false],
  ['rate-limited', false],
  ['wrong-amount', true],
])('the ledger is truthful about %s: there is a line: %s', async (fault, hasLine) => {
  const reference = `ledger-${fault}`
  await ask('PUT', { rules: [{ fault, on: ['authorize'], next: 1 }] })
  await processor.authorize({ idempotencyKey: reference, reference, amount: AMOUNT, token })
  expect(effects(reference)).toEqual(hasLine ? ['authorize 1075'] : [])
})

test('what is slow has its effect late, whether or not somebody still waits for the answer', async () => {
  const file = join(directory, 'late.jsonl')
  const over = Promise.withResolvers<void>()
  const slow = wire(configured({ LEDGER_FILE: file }), log, () => over.promise)
  const to = createDevelopmentProcessor(await slow.app.listen({ host: '127.0.0.1', port: 0 }), IMPATIENT_MS)
  onTestFinished(async () => {
    await to.close()
    await slow.app.close()
    await slow.close?.()
  })
  const payload = { rules: [{ fault: 'slow', on: ['authorize'], next: 1 }] }
  await slow.app.inject({ method: 'PUT', url: '/faults', payload })
  const call = { idempotencyKey: 'late', reference: 'late', amount: AMOUNT, token }
  expect(await to.authorize(call)).toMatchObject({ kind: 'unknown' })
  expect(effects('late', file)).toEqual([])
  over.resolve()
  await expect.poll(() => effects('late', file)).toEqual(['authorize 1075'])
})

// The switch ------------------------------------------------------------------------------------------------

test('GET tells the plan, what is left of it and what has happened; DELETE ends it', async () => {
  const rule = { fault: 'rate-limited', on: ['tokenize'], next: 2 }
  expect(await ask('PUT', { rules: [rule] })).toMatchObject({
    status: 200,
    body: { seed: 1, rules: [rule], happened: {} },
  })
  expect(await processor.tokenize(CARD)).toMatchObject({ kind: 'unknown' })
  expect((await ask('GET')).body).toMatchObject({ rules: [{ next: 1 }], happened: { 'rate-limited': 1 } })
  await ask('DELETE')
  expect(await processor.tokenize(CARD)).toMatchObject({ kind: 'yes' })
  expect((await ask('GET')).body).toEqual({ seed: 1, rules: [], happened: {} })
})

test.each([
  [{ rules: [{ fault: 'explode', next: 1 }] }, 'rules.0.fault'],
  [{ rules: [{ fault: 'slow' }] }, 'rules.0'],
  [{ rules: [{ fault: 'slow', next: 1, probability: 0.5 }] }, 'rules.0'],
  [{ rules: [{ fault: 'slow', probability: 2 }] }, 'rules.0.probability'],
  [{ rules: [{ fault: 'slow', next: 1, on: ['everything'] }] }, 'rules.0.on.0'],
])('%j is no plan, and what is wrong is named', async (plan, field) => {
  expect(await ask('PUT', plan)).toMatchObject({ status: 400, body: { fields: [field] } })
})

test('429 says when to ask again', async () => {
  await ask('PUT', { rules: [{ fault: 'rate-limited', next: 1 }] })
  const { statusCode, headers } = await parts.app.inject({ url: '/authorizations?reference=o' })
  expect({ statusCode, after: headers['retry-after'] }).toEqual({ statusCode: 429, after: '1' })
})

async function drawn(seed: number) {
  const rules = FAULTS.filter((fault) => !fault.startsWith('drop')).map((fault) => ({
    fault,
    probability: 0.2,
    ms: 0,
  }))
  await ask('PUT', { seed, rules })
  const seen: number[] = []
  for (let asked = 0; asked < 30; asked++)
    seen.push((await parts.app.inject({ url: '/authorizations?reference=nobody' })).statusCode)
  return seen
}

test('the same seed gives the same faults, another one others', async () => {
  const first = await drawn(1)
  expect(await drawn(1)).toEqual(first)
  expect(await drawn(2)).not.toEqual(first)
})

test('the environment may have faults to begin with, and a plan that cannot be read stops the start', async () => {
  const begun = wire(configured({ FAULTS: '{"rules":[{"fault":"in-progress","next":1}]}' }), log)
  const statuses = []
  for (let asked = 0; asked < 2; asked++)
    statuses.push((await begun.app.inject({ url: '/authorizations?reference=o' })).statusCode)
  expect(statuses).toEqual([409, 200])
  await begun.app.close()
  await begun.close?.()
  for (const plan of ['{', '{"rules":[{"fault":"explode","next":1}]}', '[]'])
    expect(() => configured({ FAULTS: plan })).toThrow('FAULTS')
})
