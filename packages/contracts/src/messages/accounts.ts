import { z } from 'zod'
import { command, question } from '#/message.ts'
import { Address, CreditCard, LastFour, Recipient } from '#/records.ts'
import { ApiKey } from '#/values.ts'
import { StepRef } from '#/messages/saga.ts'
import { FaultShape } from '#/problem-document.ts'

/** A card as we keep it: what a client may see, and the token that the payment processor knows it by. */
export const TokenizedCard = CreditCard.extend({ token: z.string(), lastFour: LastFour })
export type TokenizedCard = z.infer<typeof TokenizedCard>

/** What tells a new card and a new address of an order apart from those that are saved; nothing that is secret. */
export const NewCardFields = CreditCard.pick({
  cardholderName: true,
  cardholderStreetAddress: true,
  cardholderZip: true,
  lastFour: true,
  expirationMonth: true,
  expirationYear: true,
})
export type NewCardFields = z.infer<typeof NewCardFields>
export const NewAddressFields = Address.pick({
  streetAddress: true,
  aptNumber: true,
  city: true,
  state: true,
  zip: true,
})
export type NewAddressFields = z.infer<typeof NewAddressFields>

/** What becomes of it once the order stands: the same is saved already, there is room for it, or the account is full. */
export const Saving = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('saved'), apiKey: ApiKey }),
  z.object({ kind: z.literal('room') }),
  z.object({ kind: z.literal('full') }),
])
export type Saving = z.infer<typeof Saving>

/**
 * Who is the recipient, and what do these keys name? Read only. Anything that is not the application's, or
 * not the recipient's, is not there. A null in the question asks for nothing.
 */
export const AccountsResolve = question('accounts.resolve', 'accounts', {
  data: z.object({
    applicationId: ApiKey,
    recipientApiKey: ApiKey.nullable(),
    cardApiKey: ApiKey.nullable(),
    addressApiKey: ApiKey.nullable(),
    newCard: NewCardFields.nullable().default(null),
    newAddress: NewAddressFields.nullable().default(null),
  }),
  answer: z.object({
    /** Pointers into the body of send-order. */
    faults: z.array(FaultShape),
    recipient: Recipient.nullable(),
    card: TokenizedCard.nullable(),
    address: Address.nullable(),
    /** Null when nothing was asked, and from a replica of before it could be. */
    newCard: Saving.nullable().default(null),
    newAddress: Saving.nullable().default(null),
  }),
})

/**
 * Saves an order's new card and new address to its recipient's account, once. What is saved there already, and what the
 * account has no room for, is not saved, and the outcome is `done` all the same.
 */
export const AccountsSave = command(
  'accounts.save',
  'accounts',
  StepRef.extend({
    userApiKey: ApiKey,
    card: TokenizedCard.nullable(),
    address: Address.extend({ apiKey: ApiKey }).nullable(),
  }),
)
