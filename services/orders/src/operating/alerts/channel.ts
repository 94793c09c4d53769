import type { Alert } from '#/domain/alert.ts'

/** A channel to the operator. `send` rejects with the reason if the receiver did not confirm the alert in time. */
export type Channel = {
  name: 'webhook' | 'email'
  send(alert: Alert): Promise<void>
  close(): Promise<void>
}

/** Shorter than the lease of an attempt, and than the gateway's timeout for a test alert. */
export const SEND_WITHIN_MS = 8_000
