import type { Supervised } from '../process/supervise.ts'
import type { SeedResult } from '../seed/seed.ts'
import type { Servers } from '../servers/find.ts'
import type { ServerKind } from '../servers/types.ts'
import type { Running } from './processes.ts'
import { firstUrl, type ProcessName, type ServiceName, type Wiring } from './services.ts'

/** The contents of `stack.json`, for tools. */
export interface StackFile {
  readonly gateway: string
  readonly accessKey: string
  readonly otherAccessKey: string
  readonly operatorKey: string
  readonly restaurants: SeedResult['restaurants']
  readonly processes: Readonly<Record<ServiceName | ServerKind, number[]>>
  /** `processor`: the development payment processor; `simulators`: the simulated restaurants. */
  readonly urls: Readonly<Record<ServerKind | 'processor' | 'simulators', string>>
  /** Folders; `ledger` and `receipts` are files. Null where a server of somebody else keeps it. */
  readonly data: Readonly<Record<ServerKind, string | null> & Record<'logs' | 'ledger' | 'receipts', string>>
}

/** What a description is made of. */
export interface Described {
  readonly wiring: Wiring
  readonly servers: Servers
  readonly superuserUrl: string
  readonly seeded: SeedResult
  readonly running: Running
  readonly logs: string
}

/** Describes a stack as it is at this moment. */
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
    gateway: gatewayUrls(wiring)[0] ?? '',
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

/** Where the replicas of the gateway listen. */
export function gatewayUrls(wiring: Wiring): string[] {
  return wiring.ports.gateway.map((port) => `http://127.0.0.1:${port}`)
}

/** The processes of a service that run at this moment. */
export function pidsOf(running: Running, name: ProcessName): number[] {
  const replicas: readonly Supervised[] = running.get(name) ?? []
  return replicas.map((replica) => replica.pid).filter((pid) => pid !== null)
}
