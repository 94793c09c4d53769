import { beforeAll, describe, expect, test } from 'vitest'
import { elsewhere, keyed, UNKNOWN_API_KEY, commonMembersOf } from './accounts.ts'
import {
  call,
  card,
  get,
  home,
  post,
  register,
  type ClientResponse,
  type CreditCard,
  type ProblemBody,
  type User,
} from './client.ts'

test('200: the user with cards, oldest first, and addresses; no card number, cvv or password', async () => {
  const { apiKey } = await register()
  const cards: CreditCard[] = []
  for (const nickname of ['first', 'second']) {
    cards.push((await post<CreditCard>(`user/${apiKey}/add-card`, { ...card(), nickname })).body)
  }
  const { body: address } = await post(`user/${apiKey}/add-address`, home)
  const { status, body } = await get<User>(`user/${apiKey}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ apiKey, creditCards: cards, savedAddresses: [address] })
  expect(JSON.stringify(body)).not.toMatch(/4242424242424242|"314"|password/i)
})

test('a trailing slash is tolerated', async () => {
  const { apiKey } = await register()
  expect((await get<User>(`user/${apiKey}/`)).body.apiKey).toBe(apiKey)
})

test('400 for an invalid apiKey', async () => {
  const response = await get<ProblemBody>(`user/${'k'.repeat(101)}`)
  expect(response).toMatchObject({ status: 400, body: { errors: [{ pointer: 'path/apiKey' }] } })
  expect((await get(`user/${encodeURIComponent("'; --")}`)).status).toBe(400)
})

/** Sends a request as an application that does not own the user. */
const sendGet = (path: string) => call<ProblemBody>(`/publicapi/v1/${path}`, elsewhere())
const sendPost = (body?: unknown) => (path: string) =>
  call<ProblemBody>(`/publicapi/v1/${path}`, { method: 'POST', body, ...keyed(), ...elsewhere() })

describe("404 user-not-found for another application's user", () => {
  let user: User
  let cardApiKey: string
  let addressApiKey: string
  beforeAll(async () => {
    user = await register()
    cardApiKey = (await post<CreditCard>(`user/${user.apiKey}/add-card`, card())).body.apiKey
    addressApiKey = (await post<{ apiKey: string }>(`user/${user.apiKey}/add-address`, home)).body.apiKey
  })

  test.each<[string, (path: string) => Promise<ClientResponse<ProblemBody>>]>([
    ['user/USER', sendGet],
    ['user/USER/orders', sendGet],
    ['update-user/USER', sendPost({ firstName: 'Sam', password: 'taken over now' })],
    ['user/USER/add-card', sendPost(card())],
    ['user/USER/add-address', sendPost(home)],
    ['user/USER/remove-card/CARD', sendPost()],
    ['user/USER/remove-address/ADDRESS', sendPost()],
  ])('%s returns the same problem as for an unknown user', async (path, send) => {
    const nested = path.replace('CARD', cardApiKey).replace('ADDRESS', addressApiKey)
    const foreign = await send(nested.replace('USER', user.apiKey))
    const absent = await send(nested.replace('USER', UNKNOWN_API_KEY))
    expect(foreign).toMatchObject({ status: 404, body: { code: 'user-not-found' } })
    expect(absent.status).toBe(404)
    expect(commonMembersOf(absent)).toEqual(commonMembersOf(foreign))
  })

  test('the user stays unchanged after these requests', async () => {
    const { body } = await get<User>(`user/${user.apiKey}`)
    expect(body).toMatchObject({
      firstName: user.firstName,
      creditCards: [{ apiKey: cardApiKey }],
      savedAddresses: [{ apiKey: addressApiKey }],
    })
  })
})
