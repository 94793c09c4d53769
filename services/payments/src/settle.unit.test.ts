import { cents, type Outcome } from '@platter/contracts'
import { createLog } from '@platter/kit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Authorization, Command } from '#/domain/authorization.ts'
import type { Answer, Effect, Found } from '#/domain/learn.ts'
import type { Processor } from '#/outside/processor.ts'
import { createSettle } from '#/settle.ts'
import type { Authorizations } from '#/store/authorizations.ts'

const hold = { amount: cents(1075), token: 'tok_1' }
const log = createLog('payments', 'silent')

/** One row, as PostgreSQL keeps it: each function is one step that nothing comes between. */
class Row implements Authorizations {
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
  async send(orderApiKey: string, { amount, token }: typeof hold) {
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
  async move({ state }: Authorization, change: Parameters<Authorizations['move']>[1]) {
    const moved = () =>
      this.#row?.state === state ? ({ ...this.#row, ...change } as Authorization) : this.#row
    return (await this.#step(moved))!
  }
  async noteUnknown() {
    // For people only: no decision is made by it.
  }
}

type Fault = 'none' | 'lost on the way there' | 'lost on the way back' | 'arrives late'

/** A processor that honours idempotency keys, over a network that loses questions and answers. */
class FakeProcessor implements Processor {
  readonly holds: Found[] = []
  mostAlive = 0
  readonly #answers = new Map<string, Answer<Effect>>()
  readonly #pause: () => Promise<void>
  readonly #fault: () => Fault
  readonly #declines: boolean
  constructor(pause: () => Promise<void>, fault: () => Fault, declines: boolean) {
    this.#pause = pause
    this.#fault = fault
    this.#declines = declines
  }
  get alive() {
    return this.holds.filter(({ status }) => status === 'authorized' || status === 'captured')
  }
  async #over<T>(work: () => Answer<T>): Promise<Answer<T>> {
    const fault = this.#fault()
    const arrival = this.#arrive(fault === 'lost on the way there' ? null : work)
    arrival.catch(() => 'a crash, seen by whoever waits')
    // A question may still be on its way when nobody waits for its answer any more.
    const answer = fault === 'arrives late' ? null : await arrival
    await this.#pause()
    return fault === 'none' && answer ? answer : { kind: 'unknown', reason: fault, sent: true }
  }
  async #arrive<T>(work: (() => Answer<T>) | null): Promise<Answer<T> | null> {
    await this.#pause()
    const answer = work?.() ?? null
    this.mostAlive = Math.max(this.mostAlive, this.alive.length)
    return answer
  }
  #once(key: string, work: () => Answer<Effect>): Promise<Answer<Effect>> {
    return this.#over(() => {
      const answer = this.#answers.get(key) ?? work()
      if (answer.kind === 'yes') this.#answers.set(key, answer)
      return answer
    })
  }
  #move(key: string, id: string, [from, to]: [Found['status'], Found['status']]): Promise<Answer<Effect>> {
    return this.#once(key, () => {
      const one = this.holds.find((each) => each.id === id)
      if (one?.status !== from) return { kind: 'no', code: `already_${one?.status}`, declineCode: '' }
      one.status = to
      return { kind: 'yes', id, amount: one.amount }
    })
  }
  authorize({ idempotencyKey, amount }: Parameters<Processor['authorize']>[0]) {
    return this.#once(idempotencyKey, () => {
      if (this.#declines) return { kind: 'no', code: 'card_declined', declineCode: 'generic_decline' }
      const id = `auth_${this.holds.length}`
      this.holds.push({ id, amount, status: 'authorized' })
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
  find() {
    return this.#over(() => ({ kind: 'yes', found: this.holds.map((one) => ({ ...one })) }))
  }
  tokenize(): never {
    throw new Error('not a part of this test')
  }
  async close() {}
}

type World = { row: Row; processor: FakeProcessor; run: (kind: Command['kind']) => Promise<Outcome | null> }

function world(pause: () => Promise<void>, fault: () => Fault, declines = false): World {
  const row = new Row(pause)
  const processor = new FakeProcessor(pause, fault, declines)
  const settle = createSettle({ authorizations: row, processor, log })
  return {
    row,
    processor,
    async run(kind) {
      if (kind === 'authorize') return settle({ kind, ...hold }, await row.send('o1', hold))
      if (kind === 'release') return settle({ kind }, await row.requestRelease('o1'))
      const found = await row.find()
      return found && settle({ kind, amount: hold.amount }, found)
    },
  }
}

/** What the saga gets to hear of a command; a crash, an unknown outcome and a dead letter are all no answer. */
const heard = async (answer: Promise<Outcome | null>): Promise<string> =>
  answer.then(
    (outcome) => outcome?.kind ?? 'nothing',
    () => 'nothing',
  )

const KINDS = ['authorize', 'capture', 'release'] as const
const FAULTS: Fault[] = ['none', 'none', 'lost on the way there', 'lost on the way back', 'arrives late']

const history = fc.record({
  scheduler: fc.scheduler(),
  /** Each command begins some steps after the beginning. */
  commands: fc.array(fc.record({ kind: fc.constantFrom(...KINDS), after: fc.nat(15) }), {
    minLength: 1,
    maxLength: 8,
  }),
  faults: fc.array(fc.constantFrom(...FAULTS), { maxLength: 20 }),
  /** At which steps whoever is about to do it is never heard of again. */
  crashes: fc.array(fc.nat(60), { maxLength: 4 }),
  declines: fc.boolean(),
})

test('any interleaving, repetition, loss and crash leaves at most one hold, and none after a release', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ scheduler, commands, faults, crashes, declines }) => {
      let calm = false
      let steps = 0
      const step = () => scheduler.schedule(Promise.resolve())
      const pause = async () => {
        if (!calm && crashes.includes(steps++)) throw new Error('crashed')
        await step()
      }
      const fault = () => (calm ? 'none' : (faults.pop() ?? 'none'))
      const { row, processor, run } = world(pause, fault, declines)
      const begin = async ({ kind, after }: (typeof commands)[number]) => {
        for (let waited = 0; waited < after; waited++) await step()
        return heard(run(kind))
      }
      await scheduler.waitFor(Promise.all(commands.map(begin)))

      // From here on nothing fails, but what is late may still arrive. The saga says its commands again.
      calm = true
      const { isReleased } = row
      const ends: string[] = []
      for (const kind of ['authorize', 'capture'] as const)
        ends.push(await scheduler.waitFor(heard(run(kind))))
      const alive = processor.alive.map(({ status }) => status)
      ends.push(await scheduler.waitFor(heard(run('release'))))
      await scheduler.waitIdle()

      const refused = declines || isReleased
      expect(ends).toEqual(refused ? ['refused', 'nothing', 'done'] : ['done', 'done', 'done'])
      expect(alive).toEqual(refused ? [] : ['captured'])
      expect(processor.alive).toEqual([])
      expect(processor.mostAlive).toBeLessThanOrEqual(1)
      expect(processor.holds.length).toBeLessThanOrEqual(1)
    }),
    { numRuns: 3_000 },
  )
})

const calmly = (fault: () => Fault = () => 'none') => world(async () => undefined, fault)

test('an answer lost on the way back is found again under the same key, and nothing is held twice', async () => {
  const faults: Fault[] = ['lost on the way back', 'lost on the way there']
  const { processor, run } = calmly(() => faults.shift() ?? 'none')
  expect(await run('authorize')).toBeNull()
  expect(await run('authorize')).toBeNull()
  expect(await run('authorize')).toEqual({ kind: 'done' })
  expect(processor.holds).toHaveLength(1)
})

test('a release of an unknown authorization finds the hold and gives it back', async () => {
  const faults: Fault[] = ['lost on the way back']
  const { processor, run } = calmly(() => faults.shift() ?? 'none')
  expect(await run('authorize')).toBeNull()
  expect(await run('release')).toEqual({ kind: 'done', paymentState: 'VOIDED' })
  expect(processor.holds.map(({ status }) => status)).toEqual(['voided'])
  expect(await run('authorize')).toMatchObject({ kind: 'refused', refusal: { code: 'payment-unavailable' } })
})

test('a release that comes first keeps a late authorization from ever being sent', async () => {
  const { processor, run } = calmly()
  expect(await run('release')).toEqual({ kind: 'done', paymentState: 'VOIDED' })
  expect(await run('authorize')).toMatchObject({ kind: 'refused', refusal: { code: 'payment-unavailable' } })
  expect(processor.holds).toEqual([])
})

test('a capture that cannot be, for the hold is gone, needs a person and is not answered', async () => {
  const { processor, run } = calmly()
  await run('authorize')
  processor.holds[0]!.status = 'voided'
  await expect(run('capture')).rejects.toThrow('nothing is held that could be captured: voided')
})
