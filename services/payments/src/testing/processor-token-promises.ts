import { expect } from 'vitest'
import { declineOf } from '#/domain/declines.ts'
import { CARD, orderOf, type Promised } from '#/testing/processor-world.ts'

const HOLDER = { name: 'Maria Lindqvist', street: '316 W Washington Ave', zip: '53703' }

/** The promises of the type `Processor` about cards and the tokens that a client created at the processor. */
export const TOKEN_PROMISES: Readonly<Record<string, Promised>> = {
  'a card becomes a token, its brand and its last four digits': async ({ processor }) => {
    const made = await processor.tokenize(CARD)
    expect(made).toMatchObject({ kind: 'yes', brand: 'visa', lastFour: '4242' })
    expect(JSON.stringify(made)).not.toMatch(/424242|314/)
  },

  'an invalid card number is a final refusal': async ({ processor }) => {
    const result = await processor.tokenize({ ...CARD, cardNumber: '4242424242424241' })
    expect(result).toMatchObject({ kind: 'no', code: 'card_declined' })
  },

  'a token of a client becomes a token that can be charged, with the expiry of the card': async (world) => {
    const processorToken = await world.clientToken(CARD)
    const made = await world.processor.tokenize({ processorToken }, HOLDER)
    const { expirationMonth, expirationYear } = CARD
    expect(made).toMatchObject({ brand: 'visa', lastFour: '4242', expirationMonth, expirationYear })
    if (made.kind !== 'yes') throw new Error('unreachable')
    expect(await world.processor.authorize(orderOf(made.token))).toMatchObject({ kind: 'yes' })
  },

  'a token of a client, exchanged twice or with other billing details, becomes the same token': async (
    world,
  ) => {
    const processorToken = await world.clientToken(CARD)
    const first = await world.processor.tokenize({ processorToken }, HOLDER)
    const second = await world.processor.tokenize({ processorToken }, { ...HOLDER, zip: '53704' })
    expect(first).toMatchObject({ kind: 'yes' })
    expect(second).toEqual(first)
  },

  'an exchange whose reply was lost succeeds when it is repeated': async (world) => {
    const processorToken = await world.clientToken(CARD)
    await world.fault('drop-reply', 'tokenize')
    expect(await world.processor.tokenize({ processorToken })).toMatchObject({ kind: 'unknown' })
    expect(await world.processor.tokenize({ processorToken })).toMatchObject({ kind: 'yes' })
  },

  'an unknown token of a client is a final refusal': async ({ processor }) => {
    const result = await processor.tokenize({ processorToken: 'tok_ofanotherprocessor' })
    expect(result.kind === 'no' && declineOf(result).code).toBe('payment-not-possible')
  },
}
