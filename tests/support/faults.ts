import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sendSignal } from '../../dev/process/identity.ts'
import { until } from '../../dev/process/wait.ts'
import { withClient } from '../../dev/servers/database.ts'
import { brokerServices } from '../../dev/servers/rabbitmq-users.ts'
import { isRabbitmqReady } from '../../dev/servers/readiness.ts'
import type { Stack } from '../../dev/stack.ts'
import type { StackFile } from '../../dev/stack/description.ts'
import { expectOk, sendTo } from './api.ts'
import { familyOf } from './processes.ts'

/** Sends a signal to processes and all their descendants, because PostgreSQL works in child processes. */
export function sendToTrees(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of new Set(familyOf(pids))) sendSignal(pid, signal)
}

/** If a node dies about a second after the declaration of a quorum queue, the queue never elects a leader again (RabbitMQ 3.10). */
const DECLARED_MS = 3_000

/** Kills RabbitMQ and removes its data. The launcher restarts it. Resolves when the services have declared all queues again. */
export async function wipeBroker(stack: Stack): Promise<void> {
  const { processes, data, urls } = stack.file
  sendToTrees(processes.rabbitmq, 'SIGKILL')
  if (data.rabbitmq !== null) rmSync(join(data.rabbitmq, 'mnesia'), { recursive: true, force: true })
  const isThere = () => isRabbitmqReady(urls.rabbitmq)
  await until(isThere, { what: 'Starting RabbitMQ', withinMs: 60_000, everyMs: 200 })
  // A service that is being killed declares its queues after the restart.
  await Promise.allSettled(brokerServices.map((name) => stack.ready(name)))
  await wait(DECLARED_MS)
}

/**
 * Runs `work` while PostgreSQL reports a full disk (`disk_full`; manual, appendix A) for each row of orders that these statements
 * would write. A disk that is really full may reject the next step of an order whose row it has stored.
 */
export async function whileDiskIsFull<T>(
  { urls }: StackFile,
  statements: 'update' | 'insert or update',
  work: () => Promise<T>,
): Promise<T> {
  const execute = (text: string) => withClient(urls.postgres, (client) => client.query(text))
  await execute(`
    create or replace function orders.full_disk() returns trigger language plpgsql as $$ begin raise disk_full; end $$;
    create trigger full_disk before ${statements} on orders.orders for each row execute function orders.full_disk()`)
  try {
    return await work()
  } finally {
    await execute('drop function orders.full_disk cascade')
  }
}

const urlOf = ({ urls }: StackFile) => `${urls.processor}/faults`

/** Replaces the faults of the development payment processor; `dev/processor/src/faults.ts` defines the rules. */
export async function setProcessorFaults(stack: StackFile, rules: readonly object[]): Promise<void> {
  expectOk(await sendTo(urlOf(stack), { method: 'PUT', body: { rules } }))
}

/** Returns true if a request has met one of the faults since the last change of them. */
export async function hasFaultOccurred(stack: StackFile): Promise<boolean> {
  const { body } = await sendTo<{ happened: object }>(urlOf(stack))
  return Object.keys(body.happened).length > 0
}
