import { cents, type Outcome } from '@platter/contracts'
import { createLog } from '@platter/kit'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Authorization, Command } from '#/domain/authorization.ts'
import type { ProcessorResult, Effect, FoundCharge } from '#/domain/processor-result.ts'
import type { Processor } from '#/outside/processor.ts'
import { commandExecutor } from '#/command-executor.ts'
import type { AuthorizationStore } from '#/store/authorizations.ts'

const terms = { amount: cents(1075), token: 'tok_1' }
const log = createLog('payments', 'silent')
const noLimits = { countDeclineOfToken: async () => undefined }

/** One row. Each method is one atomic step, as a statement is in PostgreSQL. */
class Row implements AuthorizationStore {
  #row: Authorization | null = null
  readonly #pause: () => Promise<void>
  constructor(pause: () => Promise<void>) {
    this.#pause = pause
  }
  get isReleased() {
    return this.#row?.releaseRequested ?? false
  }
  async #step(change: () => Authorization | null): Promise<Authorization | null> {
    await this.#pause()
    this.#row = change()
    const row = this.#row
    await this.#pause()
    return row
  }
  find() {
    return this.#step(() => this.#row)
  }
  async findOrCreate(orderApiKey: string, { amount, token }: typeof terms) {
    const fresh = {
      orderApiKey,
      releaseRequested: false,
      ageSeconds: 0,
      state: 'sent',
      amount,
      token,
    } as const
    return (await this.#step(() => this.#row ?? fresh))!
  }
  async requestRelease(orderApiKey: string) {
    const tombstone = { orderApiKey, releaseRequested: true, ageSeconds: 0, state: 'released' } as const
    return (await this.#step(() => (this.#row ? { ...this.#row, releaseRequested: true } : tombstone)))!
  }
  async move({ state }: Authorization, change: Parameters<AuthorizationStore['move']>[1]) {
    let isMoved = false
    const moved = () => {
      isMoved = this.#row?.state === state
      return isMoved ? ({ ...this.#row, ...change } as Authorization) : this.#row
    }
    const row = (await this.#step(moved))!
    return { row, isMoved }
  }
  async recordUnknown() {
    // Operators read it; no decision depends on it.
  }
}

type Fault = 'none' | 'request lost' | 'response lost' | 'request late'

/** A processor that honours idempotency keys, over a network that loses requests and responses. */
class FakeProcessor implements Pick<
  Processor,
  'authorize' | 'capture' | 'void' | 'refund' | 'find' | 'check'
> {
  readonly charges: FoundCharge[] = []
  mostOpen = 0
  readonly #responses = new Map<string, ProcessorResult<Effect>>()
  readonly #pause: () => Promise<void>
  readonly #fault: () => Fault
  readonly #declines: boolean
  constructor(pause: () => Promise<void>, fault: () => Fault, declines: boolean) {
    this.#pause = pause
    this.#fault = fault
    this.#declines = declines
  }
  get open() {
    return this.charges.filter(({ status }) => status === 'authorized' || status === 'captured')
  }
  async #send<T>(work: () => ProcessorResult<T>): Promise<ProcessorResult<T>> {
    const fault = this.#fault()
    const arrival = this.#arrive(fault === 'request lost' ? null : work)
    arrival.catch(() => 'the crash reaches the caller through `await arrival`')
    // A late request may arrive after its caller has stopped waiting.
    const result = fault === 'request late' ? null : await arrival
    await this.#pause()
    return fault === 'none' && result ? result : { kind: 'unknown', reason: fault }
  }
  async #arrive<T>(work: (() => ProcessorResult<T>) | null): Promise<ProcessorResult<T> | null> {
    await this.#pause()
    const result = work?.() ?? null
    this.mostOpen = Math.max(this.mostOpen, this.open.length)
    return result
  }
  #once(key: string, work: () => ProcessorResult<Effect>): Promise<ProcessorResult<Effect>> {
    return this.#send(() => {
      const result = this.#responses.get(key) ?? work()
      if (result.kind === 'yes') this.#responses.set(key, result)
      return result
    })
  }
  respondWith(key: string, result: ProcessorResult<Effect>) {
    this.#responses.set(key, result)
  }
  #move(
    key: string,
    id: string,
    [from, to]: [FoundCharge['status'], FoundCharge['status']],
  ): Promise<ProcessorResult<Effect>> {
    return this.#once(key, () => {
      const one = this.charges.find((each) => each.id === id)
      if (one?.status !== from) return { kind: 'no', code: `already_${one?.status}`, declineCode: '' }
      one.status = to
      return { kind: 'yes', id, amount: one.amount }
    })
  }
  authorize({ idempotencyKey, amount }: Parameters<Processor['authorize']>[0]) {
    return this.#once(idempotencyKey, () => {
      if (this.#declines) return { kind: 'no', code: 'card_declined', declineCode: 'generic_decline' }
      const id = `auth_${this.charges.length}`
      this.charges.push({ id, amount, status: 'authorized' })
      return { kind: 'yes', id, amount }
    })
  }
  capture({ idempotencyKey, id }: Parameters<Processor['capture']>[0]) {
    return this.#move(idempotencyKey, id, ['authorized', 'captured'])
  }
  void({ idempotencyKey, id }: Parameters<Processor['void']>[0]) {
    return this.#move(idempotencyKey, id, ['authorized', 'voided'])
  }
  refund({ idempotencyKey, id }: Parameters<Processor['refund']>[0]) {
    return this.#move(idempotencyKey, id, ['captured', 'refunded'])
  }
  check(): Promise<never> {
    throw new Error('no order of this test can authenticate')
  }
  find() {
    return this.#send(() => ({ kind: 'yes', found: this.charges.map((one) => ({ ...one })) }))
  }
}

type World = { row: Row; processor: FakeProcessor; run: (kind: Command['kind']) => Promise<Outcome | null> }

function world(pause: () => Promise<void>, fault: () => Fault, declines = false): World {
  const row = new Row(pause)
  const processor = new FakeProcessor(pause, fault, declines)
  const execute = commandExecutor({ authorizations: row, processor, limits: noLimits, log })
  return {
    row,
    processor,
    async run(kind) {
      if (kind === 'authorize') return execute({ kind, ...terms }, await row.findOrCreate('o1', terms))
      if (kind === 'release') return execute({ kind }, await row.requestRelease('o1'))
      const found = await row.find()
      return found && execute({ kind, amount: terms.amount }, found)
    },
  }
}

/** The reply to a command. A crash, an unknown outcome and a dead letter have none. */
const replyOf = async (outcome: Promise<Outcome | null>): Promise<string> =>
  outcome.then(
    (known) => known?.kind ?? 'no reply',
    () => 'no reply',
  )

const KINDS = ['authorize', 'capture', 'release'] as const
const FAULTS: Fault[] = ['none', 'none', 'request lost', 'response lost', 'request late']

const history = fc.record({
  scheduler: fc.scheduler(),
  /** `after`: the number of steps before the command begins. */
  commands: fc.array(fc.record({ kind: fc.constantFrom(...KINDS), after: fc.nat(15) }), {
    minLength: 1,
    maxLength: 8,
  }),
  faults: fc.array(fc.constantFrom(...FAULTS), { maxLength: 20 }),
  /** The steps at which the replica that executes them crashes. */
  crashes: fc.array(fc.nat(60), { maxLength: 4 }),
  declines: fc.boolean(),
})

test('any interleaving, repetition, loss and crash leaves at most one open charge, and none after a release', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ scheduler, commands, faults, crashes, declines }) => {
      let isCalm = false
      let steps = 0
      const step = () => scheduler.schedule(Promise.resolve())
      const pause = async () => {
        if (!isCalm && crashes.includes(steps++)) throw new Error('crashed')
        await step()
      }
      const fault = () => (isCalm ? 'none' : (faults.pop() ?? 'none'))
      const { row, processor, run } = world(pause, fault, declines)
      const begin = async ({ kind, after }: (typeof commands)[number]) => {
        for (let waited = 0; waited < after; waited++) await step()
        return replyOf(run(kind))
      }
      await scheduler.waitFor(Promise.all(commands.map(begin)))

      // From now on no fault is injected, but late requests may still arrive. The saga repeats its commands.
      isCalm = true
      const { isReleased } = row
      const replies: string[] = []
      for (const kind of ['authorize', 'capture'] as const)
        replies.push(await scheduler.waitFor(replyOf(run(kind))))
      const open = processor.open.map(({ status }) => status)
      replies.push(await scheduler.waitFor(replyOf(run('release'))))
      await scheduler.waitIdle()

      const refused = declines || isReleased
      expect(replies).toEqual(refused ? ['refused', 'no reply', 'done'] : ['done', 'done', 'done'])
      expect(open).toEqual(refused ? [] : ['captured'])
      expect(processor.open).toEqual([])
      expect(processor.mostOpen).toBeLessThanOrEqual(1)
      expect(processor.charges.length).toBeLessThanOrEqual(1)
    }),
    { numRuns: 3_000 },
  )
})

const calmWorld = (fault: () => Fault = () => 'none') => world(async () => undefined, fault)

test('repeated commands after a lost response and a lost request make one authorization', async () => {
  const faults: Fault[] = ['response lost', 'request lost']
  const { processor, run } = calmWorld(() => faults.shift() ?? 'none')
  expect(await run('authorize')).toBeNull()
  expect(await run('authorize')).toBeNull()
  expect(await run('authorize')).toEqual({ kind: 'done' })
  expect(processor.charges).toHaveLength(1)
})

test('the release of an authorization with an unknown outcome voids it', async () => {
  const faults: Fault[] = ['response lost']
  const { processor, run } = calmWorld(() => faults.shift() ?? 'none')
  expect(await run('authorize')).toBeNull()
  expect(await run('release')).toEqual({ kind: 'done', paymentState: 'VOIDED' })
  expect(processor.charges.map(({ status }) => status)).toEqual(['voided'])
  expect(await run('authorize')).toMatchObject({ kind: 'refused', refusal: { code: 'payment-unavailable' } })
})

test('an authorize command after a release is refused, and makes no charge', async () => {
  const { processor, run } = calmWorld()
  expect(await run('release')).toEqual({ kind: 'done', paymentState: 'VOIDED' })
  expect(await run('authorize')).toMatchObject({ kind: 'refused', refusal: { code: 'payment-unavailable' } })
  expect(processor.charges).toEqual([])
})

test('an authorization of unknown outcome is looked up by its order and its card, after 20 h', async () => {
  const looked: object[] = []
  const processor = {
    find: async (call: object) => (looked.push(call), { kind: 'unknown', reason: 'ECONNRESET' }),
  } as unknown as Processor
  const row = new Row(async () => undefined)
  const execute = commandExecutor({ authorizations: row, processor, limits: noLimits, log })
  const old = { ...(await row.findOrCreate('o1', terms)), ageSeconds: 20 * 3_600 + 1 }
  expect(await execute({ kind: 'authorize', ...terms }, old)).toBeNull()
  expect(looked).toEqual([{ reference: 'o1', token: 'tok_1' }])
})

test.each([
  ['a decline of the card', 'card_declined', ['tok_1']],
  ['a refusal of the amount', 'amount_too_small', []],
])('%s is counted as a decline of its card only if it concerns the card', async (_title, code, counted) => {
  const declined: string[] = []
  const limits = {
    async countDeclineOfToken(token: string) {
      declined.push(token)
      throw new Error('no Redis')
    },
  }
  const result = { kind: 'no', code, declineCode: code } as const
  const processor = { authorize: async () => result } as unknown as Processor
  const row = new Row(async () => undefined)
  const execute = commandExecutor({ authorizations: row, processor, limits, log })
  const outcome = await execute({ kind: 'authorize', ...terms }, await row.findOrCreate('o1', terms))
  expect([outcome?.kind, declined]).toEqual(['refused', counted])
})

test('a decline is counted once, by the command that commits it, although an earlier commit failed and two replicas receive it', async () => {
  const row = new Row(async () => undefined)
  vi.spyOn(row, 'move').mockRejectedValueOnce(new Error('planted'))
  const limits = { countDeclineOfToken: vi.fn<() => Promise<void>>(async () => undefined) }
  const declined = { kind: 'no', code: 'card_declined', declineCode: 'generic_decline' } as const
  const processor = { authorize: async () => declined } as unknown as Processor
  const execute = commandExecutor({ authorizations: row, processor, limits, log })
  const sent = await row.findOrCreate('o1', terms)
  await expect(execute({ kind: 'authorize', ...terms }, sent)).rejects.toThrow('planted')
  const outcomes = await Promise.all([1, 2].map(() => execute({ kind: 'authorize', ...terms }, sent)))
  expect(outcomes).toMatchObject([{ kind: 'refused' }, { kind: 'refused' }])
  expect(limits.countDeclineOfToken).toHaveBeenCalledOnce()
})

test('a released authorization of another amount is voided, and the difference is logged as an error', async () => {
  const faults: Fault[] = ['response lost']
  const { processor, run } = calmWorld(() => faults.shift() ?? 'none')
  const error = vi.spyOn(log, 'error')
  await run('authorize')
  // The processor returns the first response to the repeated call.
  processor.respondWith('o1:authorize:1', { kind: 'yes', id: 'auth_0', amount: cents(1_076) })
  expect(await run('release')).toEqual({ kind: 'done', paymentState: 'VOIDED' })
  expect(error.mock.calls.map(([line]) => line)).toEqual([
    { orderApiKey: 'o1', call: 'authorize', reason: expect.stringContaining('1076 cents') as string },
  ])
})

test('a capture whose authorization was voided elsewhere is an incident, and has no reply', async () => {
  const { processor, run } = calmWorld()
  await run('authorize')
  processor.charges[0]!.status = 'voided'
  await expect(run('capture')).rejects.toThrow('there is no authorization to capture: voided')
})

test('a capture that the processor refuses, although its authorization is open there, is an incident', async () => {
  const { processor, run } = calmWorld()
  await run('authorize')
  processor.respondWith('o1:capture:1', { kind: 'no', code: 'too_late', declineCode: '' })
  await expect(run('capture')).rejects.toThrow(
    'capture of order o1: the row is authorized, yet the processor refused capture: too_late',
  )
})

test('an unknown outcome is logged as a warning, and as an error if a repeated call cannot succeed', async () => {
  const { processor, run } = calmWorld()
  const logged = (['warn', 'error'] as const).map((level) => vi.spyOn(log, level))
  const lines = () => logged.map(({ mock }) => mock.calls.map(([line]) => line))
  const unknown = { kind: 'unknown', reason: 'TimeoutError' } as const
  const line = { orderApiKey: 'o1', state: 'sent', call: 'authorize', reason: 'TimeoutError' }
  processor.respondWith('o1:authorize:1', unknown)
  expect(await run('authorize')).toBeNull()
  expect(lines()).toEqual([[line], []])
  processor.respondWith('o1:authorize:1', { ...unknown, needsOperator: true })
  expect(await run('authorize')).toBeNull()
  expect(lines()).toEqual([[line], [line]])
})

test('a capture command after a release has no reply, and is logged as a warning', async () => {
  const { run } = calmWorld()
  await run('release')
  const warn = vi.spyOn(log, 'warn')
  expect(await run('capture')).toBeNull()
  expect(warn.mock.calls).toEqual([
    [
      { orderApiKey: 'o1', command: 'capture', reason: 'a release came first: released' },
      'stale command ignored',
    ],
  ])
})
