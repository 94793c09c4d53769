import { expect, test } from 'vitest'
import { save } from '#/handlers/save.ts'

const stepRef = { orderApiKey: 'o1', step: 'save', undo: false, version: 3, attempt: 1 } as const
const card = { apiKey: 'c1' } as never
const address = { apiKey: 'a1' } as never

/** Returns a handler and the list of its actions in order. The actions in `failing` fail. */
function createHandler(failing: readonly string[] = []) {
  const actions: string[] = []
  const record = async (action: string) => {
    actions.push(action)
    if (failing.includes(action)) throw new Error(action)
  }
  const handler = save({
    cards: { save: (user, { apiKey }) => record(`save ${apiKey} of ${user}`) },
    addresses: { save: (user, { apiKey }) => record(`save ${apiKey} of ${user}`) },
    bus: { publish: (_message, data) => record(`publish ${JSON.stringify(data)}`) },
  })
  return { actions, handler }
}

const DONE = `publish ${JSON.stringify({ ...stepRef, outcome: { kind: 'done' } })}`

test.each([
  ['card and address', { card, address }, ['save c1 of u1', 'save a1 of u1', DONE]],
  ['the card', { card, address: null }, ['save c1 of u1', DONE]],
  ['the address', { card: null, address }, ['save a1 of u1', DONE]],
])('saves %s, then replies with the step of the command', async (_, records, expected) => {
  const { actions, handler } = createHandler()
  await handler({ ...stepRef, userApiKey: 'u1', ...records }, { requestId: 'r1' })
  expect(actions).toEqual(expected)
})

test('publishes no reply when a record was not saved', async () => {
  const { actions, handler } = createHandler(['save c1 of u1'])
  const handled = handler({ ...stepRef, userApiKey: 'u1', card, address }, { requestId: 'r1' })
  await expect(handled).rejects.toThrow('save c1 of u1')
  expect(actions).toEqual(['save c1 of u1'])
})
