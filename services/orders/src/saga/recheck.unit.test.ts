import { CatalogQuote, type Fault } from '@platter/contracts'
import { createLog, Problem } from '@platter/kit'
import { expect, test } from 'vitest'
import { rechecker } from '#/saga/recheck.ts'
import type { Stores } from '#/store/stores.ts'

const recheck = { restaurantApiKey: 'r1', method: 'delivery', payment: 'card', test: false, items: [] }
const fault = (code: Fault['code']): Fault => ({ code, pointer: '/items', detail: 'Because.' })

/** Checks an order again. `faults`: the faults in the reply of catalog; null: it does not respond. */
async function check(faults: Fault[] | null, state: object = { challenge: { expires: 1 } }) {
  const questions: string[] = []
  const saga = { facts: { recheck }, state: { done: [], undone: [], refusal: null, ...state } }
  const result = await rechecker({
    sagas: { load: async () => ({ saga }) } as unknown as Stores['sagas'],
    bus: {
      async ask(question) {
        questions.push(question.name)
        if (!faults) throw new Problem('service-unavailable', 'catalog does not respond')
        return question.reply.parse({ faults, quote: null })
      },
    },
    log: createLog('test', 'silent'),
  })('o1', 'q1')
  return { result, questions }
}

test('an order whose restaurant has closed during the challenge is refused, and its card is not charged', async () => {
  const refusal = { code: 'restaurant-closed', detail: 'Because. Your card was not charged.' }
  const faults = [fault('below-delivery-minimum'), fault('restaurant-closed')]
  expect(await check(faults)).toEqual({ result: refusal, questions: [CatalogQuote.name] })
})

test('a changed price does not refuse an order, which keeps its own prices', async () => {
  expect((await check([fault('below-delivery-minimum')])).result).toBeNull()
  expect((await check([])).result).toBeNull()
})

test('the result is unknown while catalog is unavailable', async () => {
  expect((await check(null)).result).toBe('unknown')
})

test('an order without an open challenge is not checked again', async () => {
  for (const state of [{}, { challenge: { expires: 1 }, done: ['authorize'] }])
    expect(await check([fault('restaurant-closed')], state)).toEqual({ result: null, questions: [] })
})
