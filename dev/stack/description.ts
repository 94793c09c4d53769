import type { SeedResult } from '../seed/seed.ts'
import type { Servers } from '../servers/find.ts'
import type { ServerKind } from '../servers/types.ts'
import type { Running } from './processes.ts'
import { firstUrl, type ProcessName, type ServiceName, type Wiring } from './services.ts'

/** The contents of `stack.json`, for tools. */
export type StackFile = {
  readonly gateway: string
  readonly accessKey: string
  readonly otherAccessKey: string
  readonly operatorKey: string
  readonly restaurants: SeedResult['restaurants']
  readonly processes: Readonly<Record<ServiceName | ServerKind, number[]>>
  /** `processor`: the development payment processor; `simulators`: the simulated restaurants. */
  readonly urls: Readonly<Record<ServerKind | 'processor' | 'simulators', string>>
  /** Folders; `ledger` and `receipts` are files. Null for a server whose data folder is not on this machine. */
  readonly data: Readonly<Record<ServerKind, string | null> & Record<'logs' | 'ledger' | 'receipts', string>>
}

/** The parts of a description. */
type Described = {
  readonly wiring: Wiring
  readonly servers: Servers
  readonly superuserUrl: string
  readonly seeded: SeedResult
  readonly running: Running
  readonly logs: string
}

/** Returns the current content of `stack.json`. */
export function describeStack({
  wiring,
  servers,
  superuserUrl,
  seeded,
  running,
  logs,
}: Described): StackFile {
  const { accessKey, otherAccessKey, restaurants } = seeded
  const { postgres, rabbitmq, redis } = servers
  const { ledger, receipts } = wiring
  return {
    gateway: firstUrl('gateway', wiring),
    accessKey,
    otherAccessKey,
    operatorKey: wiring.secrets.operatorKey,
    restaurants,
    processes: {
      gateway: pidsOf(running, 'gateway'),
      catalog: pidsOf(running, 'catalog'),
      accounts: pidsOf(running, 'accounts'),
      orders: pidsOf(running, 'orders'),
      payments: pidsOf(running, 'payments'),
      postgres: postgres.pids(),
      rabbitmq: rabbitmq.pids(),
      redis: redis.pids(),
    },
    urls: {
      postgres: superuserUrl,
      rabbitmq: rabbitmq.url,
      redis: redis.url,
      processor: firstUrl('processor', wiring),
      simulators: firstUrl('simulators', wiring),
    },
    data: { postgres: postgres.data, rabbitmq: rabbitmq.data, redis: redis.data, logs, ledger, receipts },
  }
}

/** The running processes of a service. */
export const pidsOf = (running: Running, name: ProcessName): number[] =>
  (running.get(name) ?? []).flatMap((replica) => replica.pids())
