import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../process/files.ts'
import { freePort, freePortFrom } from '../process/ports.ts'
import { until } from '../process/wait.ts'
import { compose, findDocker, pull, type DockerCommand, type Project } from './compose-command.ts'
import { composeService } from './compose-file.ts'
import { NoEngine, type ServerContext } from './types.ts'

/** Jaeger, which receives the services' traces and shows them. */
export type Traces = {
  /** The variables of the services. */
  readonly variables: Readonly<Record<string, string>>
  /** The URL of the page. */
  readonly page: string
  stop(): Promise<void>
}

const readyWithinMs = 60_000
/** The port of Jaeger's page in docker-compose.yml, and the first one that is tried here. */
const usualPage = 16_686

/**
 * Starts the Jaeger of docker-compose.yml in a separate project. It keeps its traces in memory until the stack ends. Throws
 * NoEngine if Docker is unavailable.
 */
export async function startTraces(context: ServerContext): Promise<Traces> {
  const docker = await findDocker().catch((error: unknown) => {
    throw error instanceof NoEngine ? new Error(withoutDocker) : error
  })
  await context.reporter.step('Docker image of Jaeger', (step) =>
    pull(docker, composeService('jaeger').image, context, step),
  )
  const [otlp, page] = [await freePort(), await freePortFrom(usualPage)]
  const project = projectOf(context.directory, { otlp, page })
  const stop = () => compose(docker, project, ['down', '--timeout', '5'], { context })
  try {
    await bringUp(docker, project, page, context)
  } catch (error) {
    await stop()
    throw error
  }
  return { variables: tracesOnly(`http://127.0.0.1:${otlp}`), page: `http://127.0.0.1:${page}`, stop }
}

const withoutDocker =
  '--traces starts Jaeger in Docker, and no Docker engine responds: start it, or set OTEL_EXPORTER_OTLP_ENDPOINT to your own OTLP receiver.'

/** The only protocol that this Jaeger receives. */
const tracesOnly = (endpoint: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
})

/** The name depends on the directory, so that the next start finds and replaces a leftover. */
function projectOf(directory: string, { otlp, page }: { otlp: number; page: number }): Project {
  const file = join(directory, 'docker', 'jaeger.json')
  mkdirSync(join(file, '..'), { recursive: true })
  // Merged into docker-compose.yml. JSON is valid YAML.
  writeWhole(file, `${JSON.stringify({ services: { jaeger: { ports: [`127.0.0.1:${otlp}:4318`] } } })}\n`)
  const name = `platter-traces-${createHash('sha256').update(directory).digest('hex').slice(0, 8)}`
  return { name, files: [file], variables: { JAEGER_PORT: String(page) } }
}

async function bringUp(
  docker: DockerCommand,
  project: Project,
  page: number,
  context: ServerContext,
): Promise<void> {
  await context.reporter.step('Jaeger in a container', async (step) => {
    await compose(docker, project, ['up', '--detach', '--no-build', 'jaeger'], { context, now: step.now })
    const { host, signal } = context
    const what = `Waiting for Jaeger (log: ${host.logs}/docker.log)`
    await until(() => answers(`http://127.0.0.1:${page}/`), {
      what,
      withinMs: readyWithinMs,
      everyMs: 100,
      signal,
    })
    step.result(`port ${page}`)
  })
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    // Not ready yet. `until` has the time limit.
    return false
  }
}
