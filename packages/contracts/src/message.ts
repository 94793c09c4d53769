import type { z } from 'zod'

/** A service that owns queues. */
type QueueOwner = 'catalog' | 'accounts' | 'orders' | 'payments'

/**
 * Requests one step from its owner, which executes it once. Its queue has the same name. The reply is a command in the other
 * direction. A lost command is republished from the row that caused it.
 */
export type Command<S extends z.ZodType = z.ZodType> = {
  kind: 'command'
  name: string
  owner: QueueOwner
  data: S
}

/** A read-only request and its reply, in memory only. The caller repeats it until a reply arrives. */
export type Question<S extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> = {
  kind: 'question'
  name: string
  owner: QueueOwner
  data: S
  reply: A
}

/** A hint for every replica of the owner to read a row. No outcome depends on its arrival. */
export type Event<S extends z.ZodType = z.ZodType> = {
  kind: 'event'
  name: string
  owner: QueueOwner
  data: S
}

export const command = <S extends z.ZodType>(name: string, owner: QueueOwner, data: S): Command<S> => ({
  kind: 'command',
  name,
  owner,
  data,
})

export const question = <S extends z.ZodType, A extends z.ZodType>(
  name: string,
  owner: QueueOwner,
  schemas: { data: S; reply: A },
): Question<S, A> => ({ kind: 'question', name, owner, ...schemas })

export const event = <S extends z.ZodType>(name: string, owner: QueueOwner, data: S): Event<S> => ({
  kind: 'event',
  name,
  owner,
  data,
})
