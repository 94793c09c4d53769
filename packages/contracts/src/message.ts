import type { z } from 'zod'

/** A service that owns queues. */
export type QueueOwner = 'catalog' | 'accounts' | 'orders' | 'payments'

/**
 * Something to be done once, by its owner, in its own time. It travels on a durable queue of its own name;
 * what comes of it is a command in the other direction. A lost one is said again by the row it came from.
 */
export type Command<S extends z.ZodType = z.ZodType> = {
  kind: 'command'
  name: string
  owner: QueueOwner
  data: S
}

/** Something that is only read, answered at once or not at all: request and reply, kept in memory. */
export type Question<S extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> = {
  kind: 'question'
  name: string
  owner: QueueOwner
  data: S
  answer: A
}

/** Something that every replica of its owner should look at; nothing depends on its arrival. */
export type Nudge<S extends z.ZodType = z.ZodType> = {
  kind: 'nudge'
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

export const nudge = <S extends z.ZodType>(name: string, owner: QueueOwner, data: S): Nudge<S> => ({
  kind: 'nudge',
  name,
  owner,
  data,
})
