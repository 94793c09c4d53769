import type { StepRef } from '@platter/contracts'
import { me } from './simulation.ts'
import type { Process, World } from './world.ts'

type Acked = { content: Buffer; properties: Record<string, unknown>; fields: { redelivered: boolean } }
type Counts = { finished: number; acked: number }

/**
 * Detects defects that no record shows, because the design repairs them in time. They are an acknowledgement before the end of the
 * work, and an effect requested under two keys.
 */
export class Monitors {
  readonly #world: World
  readonly #messages = new WeakMap<Process, Map<string, Counts>>()
  readonly #keys = new Map<string, string>()

  constructor(world: World) {
    this.#world = world
  }

  /** Wraps and observes the handler of a command. */
  watched<D, R>(handler: (data: D, received: R) => Promise<void>): (data: D, received: R) => Promise<void> {
    return async (data, received) => {
      const process = me()
      try {
        await handler(data, received)
      } finally {
        this.#countsOf(process, identityOf(data)).finished++
      }
    }
  }

  /** The consumer acknowledges a redelivered message first, because this is its last delivery (packages/bus/src/consumer.ts). */
  acked({ content, properties, fields }: Acked): void {
    if (fields.redelivered) return
    const parsed: unknown = JSON.parse(content.toString())
    const commands = properties['type'] === 'batch' ? (parsed as { data: unknown }[]) : [{ data: parsed }]
    for (const { data } of commands) {
      const identity = identityOf(data)
      const counts = this.#countsOf(me(), identity)
      if (++counts.acked > counts.finished)
        this.#world.mistake('acked early', `${identity} was acked before its handler had ended`)
    }
  }

  /** Records a request to the processor for an effect. */
  requested(kind: string, of: string, key: string): void {
    const effect = `${kind} of ${of}`
    const before = this.#keys.get(effect)
    this.#keys.set(effect, key)
    if (before !== undefined && before !== key)
      this.#world.mistake('requested under two keys', `${effect}: ${before}, then ${key}`)
  }

  #countsOf(process: Process, identity: string): Counts {
    const messages = this.#messages.get(process) ?? new Map<string, Counts>()
    this.#messages.set(process, messages)
    const counts = messages.get(identity) ?? { finished: 0, acked: 0 }
    messages.set(identity, counts)
    return counts
  }
}

/** Identifies a command of an order: equal for each copy of the message. */
function identityOf(data: unknown): string {
  const { orderApiKey, step, undo, version, attempt, ...rest } = data as StepRef & { outcome?: unknown }
  return `${rest.outcome === undefined ? '' : 'reply to '}${step}${undo ? ' compensation' : ''} ${version}.${attempt} of ${orderApiKey}`
}
