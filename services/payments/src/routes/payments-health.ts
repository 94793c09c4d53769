import { epochSeconds, type PaymentsHealth, type ProcessorHealth } from '@platter/contracts'
import { orNull, readServiceHealth, type Handler } from '@platter/kit'
import type { Processor } from '#/outside/processor.ts'
import type { CardLimits } from '#/store/card-limits.ts'
import type { WebhookEventStore } from '#/store/webhook-events.ts'

type Deps = {
  processor: Pick<Processor, 'list'>
  events: Pick<WebhookEventStore, 'lastHandled'>
  limits: Pick<CardLimits, 'isShared'>
  now?: () => number
} & Pick<ProcessorHealth, 'kind' | 'test'> &
  Parameters<typeof readServiceHealth>[0]

const DAY_SECONDS = 86_400
/** Shorter than the timeouts of the gateway and orders. A slower processor counts as unreachable. */
const WITHIN_MS = 4_000

export const paymentsHealth =
  ({
    kind,
    test,
    processor,
    events,
    limits,
    now = Date.now,
    ...reads
  }: Deps): Handler<typeof PaymentsHealth> =>
  async () => {
    const to = epochSeconds(now())
    const time = { from: to - DAY_SECONDS, to, after: null }
    const [service, listed, lastEvent, redis] = await Promise.all([
      readServiceHealth(reads),
      orNull(() => processor.list(time), WITHIN_MS),
      orNull(() => events.lastHandled()),
      limits.isShared(),
    ])
    return { service, processor: { kind, test, lastEvent, ...reachability(listed) }, redis }
  }

/** A wrong secret key is a refusal, so the processor is not usable for payments. */
function reachability(
  listed: Awaited<ReturnType<Processor['list']>> | null,
): Pick<ProcessorHealth, 'reachable' | 'reason' | 'charges'> {
  if (listed?.kind === 'yes') return { reachable: true, reason: null, charges: listed.charges.length }
  if (listed === null) return { reachable: false, reason: 'no response in time', charges: 0 }
  return { reachable: false, reason: listed.kind === 'no' ? listed.code : listed.reason, charges: 0 }
}
