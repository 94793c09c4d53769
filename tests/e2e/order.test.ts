import { expect, test } from 'vitest'
import { elsewhere, commonMembersOf } from './accounts.ts'
import { anOrder, cast, get, register, sendOrder, type ProblemBody } from './client.ts'

test("404: another application's order, with the same problem as an unknown order", async () => {
  const user = await register()
  const { body: order } = await sendOrder({
    ...(await anOrder(cast.aurora)),
    recipient: { apiKey: user.apiKey },
  })
  for (const path of [`order/${order.apiKey}`, `order/${order.apiKey}/statuses`]) {
    const foreign = await get<ProblemBody>(path, elsewhere())
    const absent = await get<ProblemBody>(path.replace(/[0-9a-f]{48}/, '0'.repeat(48)), elsewhere())
    expect(foreign.status).toBe(404)
    expect(commonMembersOf(absent)).toEqual(commonMembersOf(foreign))
  }
})
