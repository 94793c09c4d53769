import { z } from 'zod'
import { command, question } from '../message.ts'
import { Address, CreditCard, LastFour, Recipient } from '../records.ts'
import { ApiKey } from '../values.ts'
import { FaultShape, StepRef } from './saga.ts'

/** A card as we keep it: what a client may see, and the token that the payment processor knows it by. */
export const TokenizedCard = CreditCard.extend({ token: z.string(), lastFour: LastFour })
export type TokenizedCard = z.infer<typeof TokenizedCard>

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
  }),
  answer: z.object({
    /** Pointers into the body of send-order. */
    faults: z.array(FaultShape),
    recipient: Recipient.nullable(),
    card: TokenizedCard.nullable(),
    address: Address.nullable(),
  }),
})

/** Saves an order's new card and new address to its recipient's account, once, whatever the limits. */
export const AccountsSave = command(
  'accounts.save',
  'accounts',
  StepRef.extend({
    userApiKey: ApiKey,
    card: TokenizedCard.nullable(),
    address: Address.extend({ apiKey: ApiKey }).nullable(),
  }),
)
