import type { Attention, Mismatch } from '@platter/contracts'
import type { Db } from '@platter/kit'
import { epochOf, microsecondsOf } from '@platter/kit/postgres/epoch'
import { newestIncidents } from '@platter/kit/postgres/newest-incidents'
import { sql } from 'kysely'
import { apiKeyOf } from '#/api-key-of.ts'
import type { Alert, Composed, Unalerted } from '#/domain/alert.ts'
import type { Run } from '#/store/scheduled-runs.ts'
import { PostgresScheduledRuns } from '#/store/scheduled-runs.ts'
import { PostgresStore } from '#/store/postgres-store.ts'

/** The incidents of one comparison. Incidents of a source that was not read completely do not end. */
type Comparison = { source: string; incidents: readonly Attention[]; isComplete: boolean }[]

/** An alert, leased for an attempt in a channel. */
type LeasedAlert = { number: number; channel: string; attempt: number; alert: Alert }

type MismatchRow = { id: string; orderApiKey: string; rule: string; detail: string; at: number }
/** `finishedAt`: the end of the last reconciliation, in epoch seconds. */
type OverdueReconciliation = { key: string; at: number; finishedAt: number }
type UndeliveredRow = { channel: string; reason: string | null; attempts: number; at: number }

/** The maximum number of unalerted incidents in a round; the others wait for the next round. */
const COMPOSED_AT_ONCE = 5_000
/** An alert that was not delivered within this time is abandoned. */
const DELIVER_WITHIN = sql`interval '3 days'`

/** Known incidents, alerts and their deliveries. */
export class PostgresAlerts extends PostgresStore {
  /**
   * Stores in one commit which incidents began and ended since the last comparison, and the alerts that `compose` returns for them.
   * Without channels no alert is created: open incidents wait for a channel, and ended incidents are deleted.
   */
  async compare(
    run: Run,
    found: Comparison,
    alerting: {
      channels: readonly string[]
      nextInMs: number
      compose: (waiting: Unalerted[], open: ReadonlyMap<string, number>) => Composed[]
    },
  ): Promise<Composed[]> {
    return this.db.transaction().execute(async (trx) => {
      await new PostgresScheduledRuns(trx).finish(run, alerting.nextInMs)
      for (const { source, incidents, isComplete } of found)
        await compareSource(trx, source, incidents, isComplete)
      if (alerting.channels.length === 0) {
        await deleteEnded(trx)
        return []
      }
      const open = new Map((await countOpen(trx)).map(({ kind, count }) => [kind, count]))
      const composed = alerting.compose(await readUnalerted(trx), open)
      for (const one of composed) await storeAlert(trx, one, alerting.channels)
      return composed
    })
  }

  /**
   * Acquires the leases of due deliveries, oldest first. An alert waits for earlier alerts of its kind, so that an end never
   * arrives before its beginning. The next attempt is due after 30 s, 1 min … 16 min (±10 %).
   */
  async leaseDeliveries(channels: readonly string[], limit: number): Promise<LeasedAlert[]> {
    const { rows } = await sql<LeasedAlert>`
    update alert_deliveries d set attempts = attempts + 1,
      due_at = now() + interval '30 seconds' * power(2, least(attempts, 5)) * (0.9 + 0.2 * random())
    from alerts a
    where a.number = d.alert_number and (d.alert_number, d.channel) in (
      select due.alert_number, due.channel from alert_deliveries due join alerts b on b.number = due.alert_number
      where due.delivered_at is null and due.due_at <= now() and due.channel = any(${channels}::text[])
        and b.created_at > now() - ${DELIVER_WITHIN}
        and not exists (
          select from alert_deliveries earlier join alerts c on c.number = earlier.alert_number
          where earlier.delivered_at is null and earlier.channel = due.channel and c.kind = b.kind
            and earlier.alert_number < due.alert_number and c.created_at > now() - ${DELIVER_WITHIN})
      order by due.alert_number limit ${limit} for update of due skip locked)
    returning a.number::int8 as number, d.channel, d.attempts as attempt, a.content || jsonb_build_object(
      'id', a.id, 'at', ${epochOf('a.created_at')}) as alert`.execute(this.db)
    return rows
  }

  async endDelivery({ number, channel }: LeasedAlert): Promise<void> {
    await sql`
    update alert_deliveries set delivered_at = now(), last_error = null
    where alert_number = ${number} and channel = ${channel} and delivered_at is null`.execute(this.db)
  }

  async recordFailure({ number, channel }: LeasedAlert, reason: string): Promise<void> {
    await sql`
    update alert_deliveries set last_error = ${reason}
    where alert_number = ${number} and channel = ${channel} and delivered_at is null`.execute(this.db)
  }

  /** Makes the undelivered alerts of a channel due now. */
  async makeDeliveriesDue(channel: string): Promise<void> {
    await sql`
    update alert_deliveries set due_at = least(due_at, now() + interval '1 second')
    where delivered_at is null and channel = ${channel}`.execute(this.db)
  }

  /**
   * Returns those of the channels with an alert that is undelivered for ten minutes, each with its oldest such alert. Alerts of a
   * channel that is no longer configured are never sent.
   */
  async undelivered(channels: readonly string[]): Promise<UndeliveredRow[]> {
    const at = microsecondsOf('at')
    const { rows } = await sql<UndeliveredRow>`
    select channel, reason, attempts, ${at} as at from (
      select distinct on (channel) channel, last_error as reason, attempts, created_at + interval '10 minutes' as at
      from alert_deliveries join alerts on number = alert_number
      where delivered_at is null and channel = any(${channels}::text[])
        and created_at between now() - ${DELIVER_WITHIN} and now() - interval '10 minutes'
      order by channel, alert_number) as oldest ${newestIncidents}`.execute(this.db)
    return rows
  }

  async mismatches(): Promise<MismatchRow[]> {
    const at = microsecondsOf('found_at')
    const { rows } = await sql<MismatchRow>`
    select id, order_api_key as "orderApiKey", rule, detail, ${at} as at from reconciliation_mismatches ${newestIncidents}`.execute(
      this.db,
    )
    return rows
  }

  /** Returns one row if no reconciliation has ended for 30 hours: a day, and time for a large comparison and its repetitions. */
  async overdueReconciliation(): Promise<OverdueReconciliation[]> {
    const at = microsecondsOf('at')
    const { rows } = await sql<OverdueReconciliation>`
    select name as key, ${at} as at, ${epochOf('finished_at')} as "finishedAt" from (
      select name, finished_at, finished_at + interval '30 hours' as at from scheduled_runs
      where name = 'reconcile') as last
    where at <= now() ${newestIncidents}`.execute(this.db)
    return rows
  }

  /**
   * Returns the beginning of the next reconciliation in epoch seconds: a day before the end of the last one, and not after an open
   * mismatch of the last 30 days. Some mismatches are never corrected, and must not extend the comparison forever.
   */
  async reconcileSince(): Promise<number> {
    const begin = sql`least(
      coalesce(covered_until, now()) - interval '1 day', (
        select greatest(compared_since, now() - interval '30 days') from reconciliation_mismatches
        order by compared_since limit 1))`
    const { rows } = await sql<{ since: number }>`
    select ${epochOf(begin)} as since
    from scheduled_runs where name = 'reconcile'`.execute(this.db)
    return rows[0]?.since ?? 0
  }

  /** Replaces the mismatches with those of a complete reconciliation from `since` to `until` (epoch seconds). */
  async replaceMismatches(
    run: Run,
    {
      mismatches,
      since,
      until,
      nextInMs,
    }: { mismatches: readonly Mismatch[]; since: number; until: number; nextInMs: number },
  ): Promise<void> {
    const rows = mismatches.map((one) => ({ ...one, id: apiKeyOf(one.orderApiKey, one.rule) }))
    await this.db.transaction().execute(async (trx) => {
      await new PostgresScheduledRuns(trx).finish(run, nextInMs)
      await sql`update scheduled_runs set covered_until = to_timestamp(${until}) where name = ${run.name}`.execute(
        trx,
      )
      await sql`delete from reconciliation_mismatches where id <> all(${rows.map(({ id }) => id)}::text[])`.execute(
        trx,
      )
      await sql`
      insert into reconciliation_mismatches (id, order_api_key, rule, detail, compared_since)
      select distinct on (id) id, "orderApiKey", rule, detail, to_timestamp(${since})
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as t (id text, "orderApiKey" text, rule text, detail text)
      on conflict (id) do update set detail = excluded.detail`.execute(trx)
    })
  }

  /** Returns the number of open incidents by kind, as of the last comparison; one row with 0 if there are none. */
  async countOpen(): Promise<OpenCount[]> {
    const counts = await countOpen(this.db)
    return counts.length > 0 ? counts : [{ kind: 'none', count: 0 }]
  }

  /** Deletes alerts and ended incidents that are 30 days old. */
  async deleteOld(): Promise<void> {
    await sql`delete from alerts where created_at < now() - interval '30 days'`.execute(this.db)
    await sql`delete from known_incidents where ended_at < now() - interval '30 days'`.execute(this.db)
  }
}

export type AlertStore = Pick<PostgresAlerts, keyof PostgresAlerts>

type OpenCount = { kind: string; count: number }

async function compareSource(
  trx: Db,
  source: string,
  incidents: readonly Attention[],
  isComplete: boolean,
): Promise<void> {
  await sql`
  insert into known_incidents (id, source, kind, incident)
  select incident ->> 'id', ${source}, incident ->> 'kind', incident
  from jsonb_array_elements(${JSON.stringify(incidents)}::jsonb) as incident
  on conflict (id) where ended_at is null do nothing`.execute(trx)
  if (!isComplete) return
  await sql`
  update known_incidents set ended_at = now()
  where ended_at is null and source = ${source} and id <> all(${incidents.map(({ id }) => id)}::text[])`.execute(
    trx,
  )
}

/** Deletes incidents that ended without an alert. Otherwise the first channel would begin with alerts about them. */
async function deleteEnded(trx: Db): Promise<void> {
  await sql`
  delete from known_incidents
  where ended_at is not null and (began_alert is null or ended_alert is null)`.execute(trx)
}

/**
 * Returns the incidents whose alert is due. Each kind and phase has at most one alert in a minute, with the count. An end needs an
 * alert of its beginning. An incident that ended more than an hour ago without one is omitted.
 */
async function readUnalerted(trx: Db): Promise<Unalerted[]> {
  const phase = sql`case when began_alert is null then 'began' else 'ended' end`
  const { rows } = await sql<Unalerted>`
  select number::int8 as number, kind, incident, ${phase} as phase from known_incidents
  where (began_alert is null or (ended_at is not null and ended_alert is null))
    and (ended_at is null or ended_at > now() - interval '1 hour' or began_alert is not null)
    and (kind, ${phase}) not in (select kind, phase from alerts where created_at > now() - interval '1 minute')
  order by number limit ${COMPOSED_AT_ONCE}`.execute(trx)
  return rows
}

async function countOpen(db: Db): Promise<OpenCount[]> {
  const { rows } = await sql<OpenCount>`
  select kind, count(*)::int as count from known_incidents where ended_at is null group by kind`.execute(db)
  return rows
}

async function storeAlert(
  trx: Db,
  { content, numbers }: Composed,
  channels: readonly string[],
): Promise<void> {
  const { kind, phase } = content
  const { rows } = await sql<{ number: number }>`
  insert into alerts (kind, phase, content) values (${kind}, ${phase}, ${JSON.stringify(content)}::jsonb)
  returning number::int8 as number`.execute(trx)
  const number = rows[0]?.number ?? 0
  await sql`
  insert into alert_deliveries (alert_number, channel)
  select ${number}, unnest(${channels}::text[])`.execute(trx)
  const column = phase === 'began' ? sql`began_alert` : sql`ended_alert`
  await sql`update known_incidents set ${column} = ${number} where number = any(${numbers}::int8[])`.execute(
    trx,
  )
}
