import type { z } from 'zod'

/** A service that owns queues. */
export type QueueOwner = 'catalog' | 'accounts' | 'orders' | 'payments'

/**
 * Something to be done once, by its owner, in its own time. It travels on a queue of its own name; the reply is a command in
 * the other direction. A lost command is republished by the row that it came from.
 */
export type Command<S extends z.ZodType = z.ZodType> = {
  kind: 'command'
  name: string
  owner: QueueOwner
  data: S
}

/** A read: request and reply, kept in memory, repeated by the caller while there is no reply. */
export type Question<S extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> = {
  kind: 'question'
  name: string
  owner: QueueOwner
  data: S
  answer: A
}

/** An event for every replica of its owner: a hint to read a row. Nothing depends on its arrival. */
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
  schemas: { data: S; answer: A },
): Question<S, A> => ({ kind: 'question', name, owner, ...schemas })

export const event = <S extends z.ZodType>(name: string, owner: QueueOwner, data: S): Event<S> => ({
  kind: 'event',
  name,
  owner,
  data,
})
