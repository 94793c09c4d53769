import { z } from 'zod'

/** Header of RabbitMQ for a dead letter of a v1 queue; the newest death comes first. Ours have none. */
const Deaths = z.object({ 'x-death': z.array(z.object({ reason: z.string() })).min(1) })

/** Why a message became a dead letter, in words for an operator. */
export function reasonOfDeath(headers: Record<string, unknown>): string {
  const reason = Deaths.safeParse(headers).data?.['x-death'][0]?.reason ?? 'rejected'
  return WORDS[reason] ?? reason
}

const WORDS: Readonly<Record<string, string>> = {
  rejected: 'It could not be read, or its handler failed: see the log.',
  delivery_limit: 'Whoever took it was gone before it was handled, 20 times.',
  maxlen: 'Its queue was full.',
}
