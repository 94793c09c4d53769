import type { Log } from '@platter/kit'
import type { CardDetachmentStore } from '#/store/card-detachments.ts'

const AT_ONCE = 20

type Deps = {
  detachments: CardDetachmentStore
  /** Detaches a token at the payment processor. Rejects if the outcome is unknown. */
  detach: (token: string) => Promise<void>
  log: Log
}

/**
 * Detaches removed cards at the payment processor. A row is deleted after its detachment, so a crash in between repeats the
 * detachment, which is harmless. Returns true if more may be due.
 */
export async function detachRemovedCards({ detachments, detach, log }: Deps): Promise<boolean> {
  const due = await detachments.takeDue(AT_ONCE)
  const failures = await Promise.all(
    due.map(async ({ cardApiKey, token }) => {
      try {
        await detach(token)
        await detachments.delete(cardApiKey)
        return null
      } catch (error) {
        return error
      }
    }),
  )
  const failed = failures.filter((failure) => failure !== null)
  if (failed.length > 0)
    log.warn(
      { count: failed.length, err: failed[0] },
      'removed cards were not detached at the processor; the detachment is retried',
    )
  return due.length === AT_ONCE && failed.length === 0
}
