import type { Repeaters } from '@platter/kit'
import type { Channel } from '#/operating/alerts/channel.ts'
import { compareIncidents } from '#/operating/alerts/compare-incidents.ts'
import { deliverAlerts } from '#/operating/alerts/deliver-alerts.ts'
import { reconcileDaily } from '#/operating/reconcile-daily.ts'
import type { AlertStore } from '#/store/alerts.ts'

type Deps = Omit<
  Parameters<typeof compareIncidents>[0] & Parameters<typeof reconcileDaily>[0],
  'alerts' | 'channels'
> & {
  alerts: AlertStore
  channels: readonly Channel[]
  repeaters: Repeaters
}

/** Schedules the repeated work for incidents and alerts on every replica. Rows decide which replica acts. */
export function repeatAlerting({ repeaters, ...deps }: Deps): void {
  const { alerts, channels, log } = deps
  repeaters.repeat('compare incidents', 5_000, () => compareIncidents(deps))
  repeaters.repeat('reconcile daily', 60_000, () => reconcileDaily(deps))
  repeaters.repeat('delete old alerts', 3_600_000, () => alerts.deleteOld())
  if (channels.length > 0)
    repeaters.repeat('deliver alerts', 2_000, () => deliverAlerts({ alerts, channels, log }))
}
