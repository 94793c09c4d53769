import type { Reporter } from '../progress.ts'
import type { ProcessHost } from '../process/host.ts'

/** The servers that the services need. */
export const serverKinds = ['postgres', 'rabbitmq', 'redis'] as const
export type ServerKind = (typeof serverKinds)[number]

/** The names for the output. */
export const properNames: Readonly<Record<ServerKind, string>> = {
  postgres: 'PostgreSQL',
  rabbitmq: 'RabbitMQ',
  redis: 'Redis',
}

/** A server that is ready for use. */
export type Server = {
  readonly kind: ServerKind
  /** For postgres, the URL of a superuser. */
  readonly url: string
  /** The URLs of services with their own user. */
  readonly urls?: Readonly<Record<string, string>>
  readonly origin: 'given' | 'docker' | 'native'
  /** The folder with its data; null if it is not on this machine. */
  readonly data: string | null
  /** Returns its processes that this launcher has started. */
  pids(): number[]
  /** Stops the server if this launcher has started it. Its data remain. */
  stop(): Promise<void>
}

/** The context of a start. */
export type ServerContext = {
  /** The run directory. */
  readonly directory: string
  readonly host: ProcessHost
  readonly reporter: Reporter
  readonly signal?: AbortSignal | undefined
  /** Starts empty servers, whose data end with the run. */
  readonly fresh?: boolean | undefined
  /** Called when a server has a new process id. */
  readonly changed?: (() => void) | undefined
}

/** A source of servers. It returns those that it can supply; the next source supplies the others. */
export type ServerSource = (wanted: readonly ServerKind[], context: ServerContext) => Promise<Server[]>

/** No Docker engine is available. */
export class NoEngine extends Error {
  override readonly name = 'NoEngine'

  constructor() {
    super(
      'No Docker engine responds. Start Docker, or run the servers as processes (PLATTER_SERVERS=native).',
    )
  }
}
