import type { Reporter } from '../progress.ts'
import type { ProcessHost } from '../process/host.ts'

/** The servers that the services stand on. */
export const serverKinds = ['postgres', 'rabbitmq', 'redis'] as const
/** One of the servers. */
export type ServerKind = (typeof serverKinds)[number]

/** As they write themselves. */
export const properNames: Readonly<Record<ServerKind, string>> = {
  postgres: 'PostgreSQL',
  rabbitmq: 'RabbitMQ',
  redis: 'Redis',
}

/** A server that is ready for use. */
export interface Server {
  readonly kind: ServerKind
  /** For postgres that of a superuser. */
  readonly url: string
  /** For a service the URL with a user of its own, where it has one. */
  readonly urls?: Readonly<Record<string, string>>
  readonly origin: 'given' | 'docker' | 'native'
  /** The folder with its data, where it is ours to see. */
  readonly data: string | null
  /** The processes that are ours, at this moment. */
  pids(): number[]
  /** Stops it when we started it; its data stay. */
  stop(): Promise<void>
}

/** What a source needs to find or start servers. */
export interface ServerContext {
  /** The run directory. */
  readonly directory: string
  readonly host: ProcessHost
  readonly reporter: Reporter
  readonly signal?: AbortSignal | undefined
  /** Nothing is kept: the servers are empty, and what is in them is gone with the run. */
  readonly fresh?: boolean | undefined
  /** Called when a server of ours has a new process number. */
  readonly changed?: (() => void) | undefined
}

/** One place that servers come from. It supplies those it can; the others are asked of the next source. */
export type ServerSource = (wanted: readonly ServerKind[], context: ServerContext) => Promise<Server[]>

/** Says that there is no Docker here to start servers with. */
export class NoEngine extends Error {
  override readonly name = 'NoEngine'

  constructor() {
    super(
      'No Docker engine answers here: start it, or let the servers run as processes (PLATTER_SERVERS=native).',
    )
  }
}
