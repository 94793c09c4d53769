import type { z } from 'zod'
import type { Owner } from '#/operation.ts'

/** A message. Its owner has the queue, which has the same name. */
type Message<Kind, S extends z.ZodType> = { kind: Kind; name: string; owner: Owner; data: S }

/**
 * Requests one step from its owner, which executes it once. The reply is a command in the other direction. A lost command is
 * republished from the row that caused it.
 */
export type Command<S extends z.ZodType = z.ZodType> = Message<'command', S>

/** A read-only request and its reply, in memory only. The caller repeats it until a reply arrives. */
export type Question<S extends z.ZodType = z.ZodType, A extends z.ZodType = z.ZodType> = Message<
  'question',
  S
> & { reply: A }

/** A hint for every replica of the owner to read a row. No outcome depends on its arrival. */
export type Event<S extends z.ZodType = z.ZodType> = Message<'event', S>

/** The name of a message begins with its owner. */
type Name = `${Owner}.${string}`

const named = (name: Name) => ({ name, owner: name.slice(0, name.indexOf('.')) as Owner })

export const command = <S extends z.ZodType>(name: Name, data: S): Command<S> => ({
  kind: 'command',
  ...named(name),
  data,
})

export const question = <S extends z.ZodType, A extends z.ZodType>(
  name: Name,
  schemas: { data: S; reply: A },
): Question<S, A> => ({ kind: 'question', ...named(name), ...schemas })

export const event = <S extends z.ZodType>(name: Name, data: S): Event<S> => ({
  kind: 'event',
  ...named(name),
  data,
})
