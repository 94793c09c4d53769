import { expect, test } from 'vitest'
import { elsewhere, wordsOf } from './accounts.ts'
import { anOrder, call, cast, get, register, sendOrder, type Order, type ProblemBody } from './client.ts'

test('newest first, page by page', async () => {
  const user = await register()
  const request = { ...(await anOrder(cast.aurora)), recipient: { apiKey: user.apiKey } }
  const placed: string[] = []
  for (let count = 0; count < 3; count++) placed.unshift((await sendOrder(request)).body.apiKey)
  const first = await get<Order[]>(`user/${user.apiKey}/orders?limit=2`)
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
  const second = await call<Order[]>(next!)
  expect([...first.body, ...second.body].map(({ apiKey }) => apiKey)).toEqual(placed)
  expect(second.headers.get('link')).toBeNull()
})

test("404: another application's order is not there, in the same words as if it did not exist", async () => {
  const user = await register()
  const { body: order } = await sendOrder({
    ...(await anOrder(cast.aurora)),
    recipient: { apiKey: user.apiKey },
  })
  for (const path of [`order/${order.apiKey}`, `order/${order.apiKey}/statuses`]) {
    const foreign = await get<ProblemBody>(path, elsewhere())
    const absent = await get<ProblemBody>(path.replace(/[0-9a-f]{48}/, '0'.repeat(48)), elsewhere())
    expect(foreign.status).toBe(404)
    expect(wordsOf(absent)).toEqual(wordsOf(foreign))
  }
})
