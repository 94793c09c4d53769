import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import * as contracts from '@platter/contracts'
import { messages, NewCard, operations, Secret, type Operation } from '@platter/contracts'
import { expect, test } from 'vitest'
import { z } from 'zod'

/* The files that may name card numbers, cvvs and passwords. Each new file must be added here, so that a review sees it. */

const root = join(import.meta.dirname, '../..')
const SECRETS = /^(?:card_?number|pan|cvv2?|cvc2?|csc|security_?code|password|pin)$/i

/** Returns the names of all members of a schema, at any depth, of input and output. */
function namesIn(schema: z.ZodType): string[] {
  const asJson = (io: 'input' | 'output') => z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return [...new Set([...membersOf(asJson('input')), ...membersOf(asJson('output'))])]
}

function membersOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties } = value as { properties?: object }
  return [...Object.keys(properties ?? {}), ...Object.values(value).flatMap(membersOf)]
}

const secretsOf = (schema: z.ZodType | undefined): string[] =>
  schema ? namesIn(schema).filter((name) => SECRETS.test(name)) : []

const isOperation = (one: unknown): one is Operation =>
  typeof one === 'object' && one !== null && 'path' in one && 'response' in one
const all = [...new Set([...operations, ...Object.values<unknown>(contracts).filter(isOperation)])]

test('only the listed requests contain a card number, a cvv or a password', () => {
  const named = all.flatMap(({ name, body }) => {
    const secrets = secretsOf(body)
    return secrets.length > 0 ? [`${name}: ${secrets.toSorted().join(', ')}`] : []
  })
  expect(named.toSorted()).toEqual([
    'add-card: cardNumber, cvv',
    'register-user: password',
    'send-order: cardNumber, cvv',
    'signin: password',
    'tokenize: cardNumber, cvv',
    'update-user: password',
    'validate-order: cardNumber, cvv',
  ])
})

test('no response, event, query or path contains a card number, a cvv or a password', () => {
  const found = all.flatMap(({ name, response, events = {}, query, params }) =>
    [response, ...Object.values(events), query, params]
      .flatMap(secretsOf)
      .map((secret) => `${name}: ${secret}`),
  )
  expect(found).toEqual([])
})

test('no message contains a card number, a cvv or a password', () => {
  expect(messages.length).toBeGreaterThan(6)
  const found = messages.flatMap((message) =>
    [message.data, ...(message.kind === 'question' ? [message.reply] : [])]
      .flatMap(secretsOf)
      .map((secret) => `${message.name}: ${secret}`),
  )
  expect(found).toEqual([])
})

test('a parsed card number or cvv is a Secret, and is printed as [secret]', () => {
  const card = NewCard.parse({
    cardholderName: 'Maria Lindqvist',
    cardholderStreetAddress: '316 W Washington Ave',
    cardholderZip: '53703',
    cvv: '314',
    cardNumber: '4242424242424242',
    expirationMonth: '09',
    expirationYear: '31',
  })
  for (const secret of [card.cardNumber, card.cvv]) {
    expect(secret).toBeInstanceOf(Secret)
    expect([String(secret), JSON.stringify({ secret }), inspect(secret)]).toEqual([
      '[secret]',
      '{"secret":"[secret]"}',
      '[secret]',
    ])
  }
})

/** Files that reveal a Secret: to send it on, exchange it for a token, or hash it. */
test('only the listed files reveal a Secret', () => {
  const files = globSync('{packages,services,dev,apps}/**/src/**/*.ts', { cwd: root }).filter(
    (file) => !/\.test\.ts$|node_modules|\/testing\//.test(file),
  )
  const revealing = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('.reveal()'))
  expect(revealing.toSorted()).toEqual([
    // The card in the form that payments receives.
    'packages/contracts/src/inputs.ts',
    // The check for the most common passwords.
    'services/accounts/src/common-passwords.ts',
    'services/accounts/src/password.ts',
    // An imported access key. It is hashed, and returned to the operator who sent it.
    'services/accounts/src/routes/issue-access-key.ts',
    'services/orders/src/domain/order-request.ts',
    'services/payments/src/routes/tokenize.ts',
  ])
})

test('no column contains a card number, a cvv or a password; a password is stored as a hash', () => {
  const named = globSync('services/*/migrations/*.sql', { cwd: root }).flatMap((file) => {
    const sql = readFileSync(join(root, file), 'utf8').replaceAll(/--.*$/gm, '')
    return [...sql.matchAll(/\b\w*(?:card_?num|pan|cvv|cvc|security_code|password)\w*\b/gi)].map(
      ([name]) => name,
    )
  })
  expect([...new Set(named)]).toEqual(['password_hash'])
})
