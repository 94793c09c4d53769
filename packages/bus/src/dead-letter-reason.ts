import { z } from 'zod'

/** RabbitMQ's header of a dead letter of a v1 queue, newest death first. Dead letters that the bus publishes do not have it. */
const Deaths = z.object({ 'x-death': z.array(z.object({ reason: z.string() })).min(1) })

/** Why a message became a dead letter, for an operator. */
export function deadLetterReason(headers: Record<string, unknown>): string {
  const reason = Deaths.safeParse(headers).data?.['x-death'][0]?.reason ?? 'rejected'
  return TEXTS[reason] ?? reason
}

const TEXTS: Readonly<Record<string, string>> = {
  rejected: 'Its data is invalid, or its handler failed: see the log.',
  delivery_limit:
    'It was delivered 20 times, and each consumer disconnected before it acknowledged the message.',
  maxlen: 'Its queue was full.',
}
