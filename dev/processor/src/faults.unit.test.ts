import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { cents } from '@platter/contracts'
import { createLog, readConfig, type Parts } from '@platter/kit'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { developmentProcessor } from '../../../services/payments/src/outside/development-processor.ts'
import type { Processor } from '../../../services/payments/src/outside/processor.ts'
import {
  commandExecutor,
  IncidentError,
  type ExecuteCommand,
} from '../../../services/payments/src/command-executor.ts'
import { memoryAuthorizations } from '../../../services/payments/src/testing/memory-authorizations.ts'
import {
  CALL_WITHIN_MS,
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
/** Its timer starts before the delay of a slow response and is shorter, so it ends first on any machine. */
let impatient: Processor
let execute: ExecuteCommand
let executeImpatiently: ExecuteCommand
let token: string
const authorizations = memoryAuthorizations()
const limits = { countDeclineOfToken: async () => undefined }

const configured = (environment: object = {}) =>
  readConfig(Config, { PORT: '0', LOG_LEVEL: 'fatal', LEDGER_FILE, ...environment })

beforeAll(async () => {
  parts = wire(configured(), log)
  url = await parts.app.listen({ host: '127.0.0.1', port: 0 })
  processor = developmentProcessor({ url }, CALL_WITHIN_MS)
  impatient = developmentProcessor({ url }, IMPATIENT_MS)
  execute = commandExecutor({ authorizations, processor, limits, log })
  executeImpatiently = commandExecutor({ authorizations, processor: impatient, limits, log })
  const made = await processor.tokenize(CARD)
  if (made.kind !== 'yes') throw new Error('no token')
  ;({ token } = made)
})
beforeEach(() => sendPlan('PUT', {}))
afterAll(async () => {
  await Promise.all([processor.close(), impatient.close()])
  await parts.app.close()
  await parts.close?.()
  rmSync(directory, { recursive: true })
})

async function sendPlan(method: 'GET' | 'PUT', plan?: object) {
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

// The payments service under faults --------------------------------------------------------------------------

type Command = 'authorize' | 'capture' | 'release'

async function outcomeOf(orderApiKey: string, kind: Command, by = execute) {
  if (kind === 'authorize') {
    const row = await authorizations.findOrCreate(orderApiKey, { amount: AMOUNT, token })
    return by({ kind, amount: AMOUNT, token }, row)
  }
  if (kind === 'release') return by({ kind }, await authorizations.requestRelease(orderApiKey))
  return by({ kind, amount: AMOUNT }, (await authorizations.find(orderApiKey))!)
}

/**
 * Repeats a command until there is an outcome, as the saga does. The first attempt uses `first`: on a busy machine an impatient
 * executor might never have an outcome. Returns the outcome and the results of the attempts before it.
 */
async function repeatUntilKnown(orderApiKey: string, kind: Command, first = execute) {
  const failures: string[] = []
  for (let by = first; ; by = execute) {
    const outcome = await outcomeOf(orderApiKey, kind, by).catch((error: unknown) => {
      if (!(error instanceof IncidentError)) throw error
      failures.push('incident')
    })
    if (outcome) return { outcome, failures }
    if (outcome === null) failures.push('unknown')
    await wait(20)
  }
}

/** For each kind of request, the commands that lead to it and the expected lines of the ledger. */
const SEQUENCES: Record<
  Exclude<Kind, 'tokenize' | 'detach' | 'find' | 'event'>,
  { commands: Command[]; lines: string[] }
> = {
  authorize: { commands: ['authorize'], lines: ['authorize 1075'] },
  capture: { commands: ['authorize', 'capture'], lines: ['authorize 1075', 'capture 1075'] },
  void: { commands: ['authorize', 'release'], lines: ['authorize 1075', 'void 1075'] },
  refund: {
    commands: ['authorize', 'capture', 'release'],
    lines: ['authorize 1075', 'capture 1075', 'refund 1075'],
  },
}
const cases = Object.entries(SEQUENCES).flatMap(([on, sequence]) =>
  FAULTS.map((fault) => ({ fault, on: on as Kind, ...sequence })),
)

test.each(cases)(
  '$fault on $on: the command has one effect, and its retries return the true outcome',
  async ({ fault, on, commands, lines }) => {
    const order = `${fault}-${on}`
    await sendPlan('PUT', { rules: [{ fault, on: [on], next: 1, ms: SLOW_MS }] })
    const failures: string[] = []
    for (const kind of commands) {
      const known = await repeatUntilKnown(order, kind, fault === 'slow' ? executeImpatiently : execute)
      expect(known.outcome).toMatchObject({ kind: 'done' })
      failures.push(...known.failures)
    }
    // A release voids or refunds whatever the amount, and only logs the difference.
    const wrongAmount = on === 'void' || on === 'refund' ? [] : ['incident']
    expect(new Set(failures)).toEqual(new Set(fault === 'wrong-amount' ? wrongAmount : ['unknown']))
    expect(effects(order)).toEqual(lines)
  },
)

test('a release voids an authorization whose response was lost', async () => {
  await sendPlan('PUT', { rules: [{ fault: 'drop-reply', on: ['authorize'], next: 2 }] })
  expect(await outcomeOf('lost', 'authorize')).toBeNull()
  expect(await repeatUntilKnown('lost', 'release')).toMatchObject({
    outcome: { kind: 'done' },
    failures: ['unknown'],
  })
  expect(effects('lost')).toEqual(['authorize 1075', 'void 1075'])
})

test('under all faults at once every order is captured or voided, and the ledger has each effect once', async () => {
  const injected = FAULTS.filter((fault) => fault !== 'wrong-amount')
  await sendPlan('PUT', {
    seed: 7,
    rules: injected.map((fault) => ({ fault, probability: 0.1, ms: SLOW_MS })),
  })
  const orders = Array.from({ length: 40 }, (_, number) => ({
    order: `all-${number}`,
    keeps: number % 2 === 0,
  }))
  await Promise.all(
    orders.map(async ({ order, keeps }) => {
      await repeatUntilKnown(order, 'authorize', executeImpatiently)
      await repeatUntilKnown(order, keeps ? 'capture' : 'release', executeImpatiently)
    }),
  )
  const { body } = await sendPlan('GET')
  expect(Object.keys((body as { happened: object }).happened)).toHaveLength(injected.length)
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
])('after %s the ledger has the effect: %s', async (fault, hasLine) => {
  const reference = `ledger-${fault}`
  await sendPlan('PUT', { rules: [{ fault, on: ['authorize'], next: 1 }] })
  await processor.authorize({ idempotencyKey: reference, reference, amount: AMOUNT, token })
  expect(effects(reference)).toEqual(hasLine ? ['authorize 1075'] : [])
})

test('a slow request takes effect late, also after its client has disconnected', async () => {
  const file = join(directory, 'late.jsonl')
  const over = Promise.withResolvers<void>()
  const slow = wire(configured({ LEDGER_FILE: file }), log, { wait: () => over.promise })
  const to = developmentProcessor(
    { url: await slow.app.listen({ host: '127.0.0.1', port: 0 }) },
    IMPATIENT_MS,
  )
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

// The fault plan ---------------------------------------------------------------------------------------------

test('GET returns the plan, its remaining faults and the injected ones; DELETE ends it', async () => {
  const rule = { fault: 'rate-limited', on: ['tokenize'], next: 2 }
  expect(await sendPlan('PUT', { rules: [rule] })).toMatchObject({
    status: 200,
    body: { seed: 1, rules: [rule], happened: {} },
  })
  expect(await processor.tokenize(CARD)).toMatchObject({ kind: 'unknown' })
  expect((await sendPlan('GET')).body).toMatchObject({
    rules: [{ next: 1 }],
    happened: { 'rate-limited': 1 },
  })
  await sendPlan('PUT', {})
  expect(await processor.tokenize(CARD)).toMatchObject({ kind: 'yes' })
  expect((await sendPlan('GET')).body).toEqual({ seed: 1, rules: [], happened: {} })
})

test.each([
  [{ rules: [{ fault: 'explode', next: 1 }] }, 'rules.0.fault'],
  [{ rules: [{ fault: 'slow' }] }, 'rules.0'],
  [{ rules: [{ fault: 'slow', next: 1, probability: 0.5 }] }, 'rules.0'],
  [{ rules: [{ fault: 'slow', probability: 2 }] }, 'rules.0.probability'],
  [{ rules: [{ fault: 'slow', next: 1, on: ['everything'] }] }, 'rules.0.on.0'],
])('refuses the plan %j with 400 and names the invalid field', async (plan, field) => {
  expect(await sendPlan('PUT', plan)).toMatchObject({ status: 400, body: { fields: [field] } })
})

test('a 429 response has Retry-After: 1', async () => {
  await sendPlan('PUT', { rules: [{ fault: 'rate-limited', next: 1 }] })
  const { statusCode, headers } = await parts.app.inject({ url: '/authorizations?reference=o' })
  expect({ statusCode, after: headers['retry-after'] }).toEqual({ statusCode: 429, after: '1' })
})

async function statusesUnder(seed: number) {
  const rules = FAULTS.filter((fault) => !fault.startsWith('drop')).map((fault) => ({
    fault,
    probability: 0.2,
    ms: 0,
  }))
  await sendPlan('PUT', { seed, rules })
  const seen: number[] = []
  for (let request = 0; request < 30; request++)
    seen.push((await parts.app.inject({ url: '/authorizations?reference=unknown' })).statusCode)
  return seen
}

test('the same seed injects the same faults; another seed injects other faults', async () => {
  const first = await statusesUnder(1)
  expect(await statusesUnder(1)).toEqual(first)
  expect(await statusesUnder(2)).not.toEqual(first)
})

test('FAULTS sets the plan at the start; an invalid value prevents the start', async () => {
  const started = wire(configured({ FAULTS: '{"rules":[{"fault":"in-progress","next":1}]}' }), log)
  const statuses = []
  for (let request = 0; request < 2; request++)
    statuses.push((await started.app.inject({ url: '/authorizations?reference=o' })).statusCode)
  expect(statuses).toEqual([409, 200])
  await started.app.close()
  await started.close?.()
  for (const plan of ['{', '{"rules":[{"fault":"explode","next":1}]}', '[]'])
    expect(() => configured({ FAULTS: plan })).toThrow('FAULTS')
})
