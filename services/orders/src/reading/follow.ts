import { setTimeout as wait } from 'node:timers/promises'
import { isUnavailable, type EventSink, type ServerSentEvent } from '@platter/kit'
import type { Follower } from '#/reading/followers.ts'

/** Gives what is new since its last round, and keeps its place after each event. */
export type Feed = {
  round(): AsyncIterable<ServerSentEvent>
  /** Nothing more will come. */
  readonly isOver: boolean
}

const AGAIN_MS = 1_000

/** Sends what the feed has, again whenever the follower is woken, until it is over or nobody reads. A database that is away is waited for. */
export async function follow(feed: Feed, follower: Follower, out: EventSink): Promise<void> {
  const { signal } = out
  while (!signal.aborted) {
    try {
      for await (const event of feed.round()) await out.send(event)
      if (feed.isOver) return
      await follower.woken(signal)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      await wait(AGAIN_MS, undefined, { signal })
    }
  }
}
