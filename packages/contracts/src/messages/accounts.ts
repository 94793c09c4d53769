import { z } from 'zod'
import { command, question } from '#/message.ts'
import { Address, CreditCard, LastFour, Recipient } from '#/records.ts'
import { ApiKey } from '#/values.ts'
import { StepRef } from '#/messages/saga.ts'
import { FaultShape } from '#/problem-document.ts'

/** A card as it is stored: the record for clients, and the processor's token. */
export const TokenizedCard = CreditCard.extend({ token: z.string() })
export type TokenizedCard = z.infer<typeof TokenizedCard>

/** The facts that the payment processor has about a card. */
export const CardDetails = z.object({
  brand: z.string(),
  lastFour: LastFour,
  expirationMonth: z.string(),
  expirationYear: z.string(),
})
export type CardDetails = z.infer<typeof CardDetails>

/**
 * The fields that are compared with saved cards and addresses to find a duplicate; none is secret. Neither the number of a card nor
 * a hash of it is stored. Therefore two cards of one holder with equal last four digits and expiry count as one.
 */
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

/**
 * The effect of accounts.save on a new record. `saved`: none, because an equal record is saved. `room`: the record is saved. `full`:
 * none, because the account is full.
 */
export const Saving = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('saved'), apiKey: ApiKey }),
  z.object({ kind: z.literal('room') }),
  z.object({ kind: z.literal('full') }),
])
export type Saving = z.infer<typeof Saving>

/**
 * Returns the recipient of an order and its saved card and address. Records of another application or another user are not found. A
 * null in the question requests nothing.
 */
export const AccountsResolve = question('accounts.resolve', {
  data: z.object({
    applicationId: ApiKey,
    recipientApiKey: ApiKey.nullable(),
    cardApiKey: ApiKey.nullable(),
    addressApiKey: ApiKey.nullable(),
    newCard: NewCardFields.nullable().default(null),
    newAddress: NewAddressFields.nullable().default(null),
  }),
  reply: z.object({
    /** Pointers into the body of send-order. */
    faults: z.array(FaultShape),
    recipient: Recipient.nullable(),
    card: TokenizedCard.nullable(),
    address: Address.nullable(),
    /** Null if the question has none. */
    newCard: Saving.nullable(),
    newAddress: Saving.nullable(),
  }),
})

/**
 * Saves the new card and the new address of an order to its recipient's account, once. It skips a record that already exists, or
 * for which the account is full. The outcome is always `done`.
 */
export const AccountsSave = command(
  'accounts.save',
  StepRef.extend({
    userApiKey: ApiKey,
    card: TokenizedCard.nullable(),
    address: Address.extend({ apiKey: ApiKey }).nullable(),
  }),
)

/** The bank of a saved card has replaced it. The token is unchanged; the digits and the expiry are new. */
export const AccountsSetCard = command('accounts.set-card', CardDetails.extend({ token: z.string() }))
