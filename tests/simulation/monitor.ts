import type { StepRef } from '@platter/contracts'
import { me, world } from './simulation.ts'

type Acknowledged = { content: Buffer; properties: Record<string, unknown>; fields: { redelivered: boolean } }

/** Wraps and observes the handler of a command. */
export function watched<D, R>(
  handler: (data: D, received: R) => Promise<void>,
): (data: D, received: R) => Promise<void> {
  return async (data, received) => {
    const { handled } = me()
    try {
      await handler(data, received)
    } finally {
      handled.push(identityOf(data))
    }
  }
}

/**
 * Detects an acknowledgement before the end of the work. No record shows it, because the saga repeats lost work. The consumer
 * acknowledges a redelivered message first, because this is its last delivery (packages/bus/src/consumer.ts).
 */
export function checkAcknowledgement({ content, properties, fields }: Acknowledged): void {
  if (fields.redelivered) return
  const parsed: unknown = JSON.parse(content.toString())
  const commands = properties['type'] === 'batch' ? (parsed as { data: unknown }[]) : [{ data: parsed }]
  const { handled } = me()
  for (const { data } of commands) {
    const identity = identityOf(data)
    const at = handled.indexOf(identity)
    if (at < 0) world.mistake('acked early', `${identity} was acked before its handler had ended`)
    else handled.splice(at, 1)
  }
}

/** Identifies a command of an order: equal for each copy of the message. */
function identityOf(data: unknown): string {
  const { orderApiKey, step, undo, version, attempt, ...rest } = data as StepRef & { outcome?: unknown }
  return `${rest.outcome === undefined ? '' : 'reply to '}${step}${undo ? ' compensation' : ''} ${version}.${attempt} of ${orderApiKey}`
}
