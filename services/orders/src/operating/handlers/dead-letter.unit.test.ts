import { AccountsSave, OrdersSetRefunds, type Command } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { storeDeadLetter } from '#/operating/handlers/dead-letter.ts'
import type { Stores } from '#/store/stores.ts'

type Stored = Parameters<Stores['incidents']['storeDeadLetter']>[0]

async function stored(command: Command, text: string): Promise<Stored> {
  const letters: Stored[] = []
  const incidents = { storeDeadLetter: async (letter: Stored) => void letters.push(letter) }
  const deps = {
    incidents: incidents as Partial<Stores['incidents']> as Stores['incidents'],
    log: createLog('orders', 'silent'),
    stopping: new AbortController().signal,
  }
  await storeDeadLetter(deps, command)({ content: Buffer.from(text), requestId: 'q1' })
  return letters[0]!
}

test.each([
  ['of a step', AccountsSave, { orderApiKey: 'o1', step: 'save' }, { orderApiKey: 'o1', step: 'save' }],
  ['without a step', OrdersSetRefunds, { orderApiKey: 'o1' }, { orderApiKey: 'o1', step: null }],
  ['without an order', AccountsSave, { step: 'save' }, { orderApiKey: null, step: null }],
])('the dead letter of a command %s is stored with its order and its step', async (...row) => {
  const [, command, data, reference] = row
  expect(await stored(command, JSON.stringify(data))).toMatchObject({ command: command.name, ...reference })
})

test('a dead letter that is not JSON is stored with its bytes', async () => {
  expect(await stored(AccountsSave, '{')).toMatchObject({ orderApiKey: null, content: Buffer.from('{') })
})
