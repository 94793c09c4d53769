import { maskCardNumbers, sanitizeText } from '@platter/contracts'
import { reasonOf, type Log } from '@platter/kit'
import type { Channel } from '#/operating/alerts/channel.ts'
import type { AlertStore } from '#/store/alerts.ts'

const AT_ONCE = 5
const MAX_REASON = 300

type Deps = {
  alerts: Pick<AlertStore, 'leaseDeliveries' | 'endDelivery' | 'recordFailure'>
  channels: readonly Channel[]
  log: Log
}

/**
 * Attempts the due deliveries. Delivery is at least once: after a crash between the confirmation and its commit, the alert is sent
 * again with the same id. Returns true if more may be due.
 */
export async function deliverAlerts({ alerts, channels, log }: Deps): Promise<boolean> {
  const leased = await alerts.leaseDeliveries(
    channels.map(({ name }) => name),
    AT_ONCE,
  )
  const sent = await Promise.all(
    leased.map(async (one) => {
      const channel = channels.find(({ name }) => name === one.channel)
      if (!channel) return false
      try {
        await channel.send(one.alert)
      } catch (error) {
        const reason = readableReasonOf(error)
        log.warn(
          { address: one.channel, kind: one.alert.kind, attempt: one.attempt, reason },
          'an alert could not be delivered; it is retried',
        )
        await alerts.recordFailure(one, reason)
        return false
      }
      await alerts.endDelivery(one)
      return true
    }),
  )
  // A later alert that waited for a delivered one is now due.
  return sent.includes(true)
}

/** The reason contains text of another system. */
export const readableReasonOf = (error: unknown): string =>
  maskCardNumbers(sanitizeText(reasonOf(error), MAX_REASON))
