import { randomUUID } from 'node:crypto'
import { epochSeconds, type TestAlert } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { testAlert } from '#/domain/alert.ts'
import type { Channel } from '#/operating/alerts/channel.ts'
import { readableReasonOf } from '#/operating/alerts/deliver-alerts.ts'

/** Sends a test alert through every channel of this replica, once, and reports each result. */
export const sendTestAlert =
  ({ channels }: { channels: readonly Channel[] }): Handler<typeof TestAlert> =>
  async () => {
    const alert = testAlert(`alert_${randomUUID()}`, epochSeconds())
    const results = channels.map(async (channel) => {
      try {
        await channel.send(alert)
        return { channel: channel.name, delivered: true, reason: null }
      } catch (error) {
        return { channel: channel.name, delivered: false, reason: readableReasonOf(error) }
      }
    })
    return { id: alert.id, channels: await Promise.all(results) }
  }
