import { setTimeout as wait } from 'node:timers/promises'
import { isUnavailable, type EventSink, type ServerSentEvent } from '@platter/kit'
import type { Subscription } from '#/saga/subscriptions.ts'

/** The events since the last round. The position advances with each event. */
export type Feed = {
  round(): AsyncIterable<ServerSentEvent>
  /** True if no more events follow. */
  readonly isOver: boolean
}

const RETRY_AFTER_MS = 1_000

/**
 * Sends the events of the feed after each wake-up, until it is over or the client disconnects. Waits for an unavailable database.
 */
export async function streamFeed(feed: Feed, subscription: Subscription, out: EventSink): Promise<void> {
  const { signal } = out
  while (!signal.aborted) {
    try {
      for await (const event of feed.round()) await out.send(event)
      if (feed.isOver) return
      await subscription.woken(signal)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      await wait(RETRY_AFTER_MS, undefined, { signal })
    }
  }
}
