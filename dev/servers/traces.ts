import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { freePort, freePortFrom } from '../process/ports.ts'
import { findDocker, startProject, type Project } from './compose-command.ts'
import { NoEngine, type ServerContext } from './types.ts'

/** Jaeger, which receives the services' traces and shows them. */
export type Traces = {
  /** The variables of the services. */
  readonly variables: Readonly<Record<string, string>>
  /** The URL of the page. */
  readonly page: string
  stop(): Promise<void>
}

/** The port of Jaeger's page in docker-compose.yml, and the first one that is tried here. */
const usualPage = 16_686

/**
 * Starts the Jaeger of docker-compose.yml in a separate project. It keeps its traces in memory until the stack ends.
 */
export async function startTraces(context: ServerContext): Promise<Traces> {
  const docker = await findDocker().catch((error: unknown) => {
    throw error instanceof NoEngine ? new Error(withoutDocker) : error
  })
  const [otlp, page] = [await freePort(), await freePortFrom(usualPage)]
  const pageUrl = `http://127.0.0.1:${page}`
  const jaeger = {
    service: 'jaeger',
    name: 'Jaeger',
    port: page,
    published: `127.0.0.1:${otlp}:4318`,
    isReady: () => answers(pageUrl),
  }
  const stop = await startProject(docker, projectOf(context.directory, page), [jaeger], context)
  return { variables: tracesOnly(`http://127.0.0.1:${otlp}`), page: pageUrl, stop }
}

const withoutDocker =
  '--traces starts Jaeger in Docker, and no Docker engine responds: start it, or set OTEL_EXPORTER_OTLP_ENDPOINT to your own OTLP receiver.'

/** The only protocol that this Jaeger receives. */
const tracesOnly = (endpoint: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_METRICS_EXPORTER: 'none',
})

/** The name depends on the directory, so that the next start finds and replaces a leftover. */
function projectOf(directory: string, page: number): Project {
  const name = `platter-traces-${createHash('sha256').update(directory).digest('hex').slice(0, 8)}`
  const file = join(directory, 'docker', 'jaeger.json')
  return { name, file, variables: { JAEGER_PORT: String(page) } }
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    // Not ready yet. `startProject` has the time limit.
    return false
  }
}
