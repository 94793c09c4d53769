import { expect, test } from 'vitest'
import { card, get, home, post, register, type CreditCard, type ProblemBody, type User } from './client.ts'

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

test('400 for an invalid apiKey', async () => {
  const response = await get<ProblemBody>(`user/${'k'.repeat(101)}`)
  expect(response).toMatchObject({ status: 400, body: { errors: [{ pointer: 'path/apiKey' }] } })
  expect((await get(`user/${encodeURIComponent("'; --")}`)).status).toBe(400)
})
