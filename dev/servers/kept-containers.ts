import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../process/files.ts'
import { createProcessHost } from '../process/host.ts'
import { readIfPresent } from '../process/identity.ts'
import { freePorts } from '../process/ports.ts'
import { until } from '../process/wait.ts'
import type { Reporter } from '../progress.ts'
import { readinessOf } from './readiness.ts'
import { compose, findDocker, pull, type DockerCommand, type Project } from './compose-command.ts'
import { composeService } from './compose-file.ts'
import { innerPorts, passwordVariables, urlOf } from './contained.ts'
import { properNames, type Server, type ServerContext, type ServerKind } from './types.ts'

/** On a busy machine, the first start of RabbitMQ is slow. */
const readyWithinMs = 120_000

type Ports = Readonly<Partial<Record<ServerKind, number>>>

/**
 * Starts the servers as containers of docker-compose.yml, in one project for each run directory, on free ports of loopback.
 * Their data stay in the project's volumes until `removeKeptContainers`.
 */
export async function startKeptContainers(
  wanted: readonly ServerKind[],
  context: ServerContext,
): Promise<Server[]> {
  const docker = await findDocker()
  await pullImages(docker, wanted, context)
  const kept = loadKept(context.directory) ?? newKept(context.directory)
  const numbers = await freePorts(wanted.length)
  const ports: Ports = Object.fromEntries(wanted.map((kind, at) => [kind, numbers[at]]))
  const project = projectOf(context.directory, kept)
  publishPorts(context.directory, ports)
  let down: Promise<void> | undefined
  // One command stops all of them.
  const stop = () => (down ??= compose(docker, project, ['down', '--timeout', '20'], { context }))
  try {
    const urls = await bringUp(docker, { ...kept, project, ports }, context)
    return wanted.map((kind) => {
      return { kind, url: urls[kind] ?? '', origin: 'docker', data: null, pids: () => [], stop }
    })
  } catch (error) {
    if (context.signal?.aborted !== true) await saveLogs(docker, project, context)
    await stop()
    throw error
  }
}

/** Removes the containers and volumes of a run directory. */
export async function removeKeptContainers(directory: string, reporter: Reporter): Promise<void> {
  const kept = loadKept(directory)
  if (kept === null) return
  const context = { directory, reporter, host: createProcessHost(directory) }
  try {
    const down = ['down', '--volumes', '--timeout', '5']
    await compose(await findDocker(), projectOf(directory, kept), down, { context })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    reporter.print(`The volumes of ${kept.project} stay: ${reason}`)
    reporter.print(`To remove them: docker compose --project-name ${kept.project} down --volumes`)
  }
}

async function pullImages(
  docker: DockerCommand,
  wanted: readonly ServerKind[],
  context: ServerContext,
): Promise<void> {
  await context.reporter.step('Docker images', async (step) => {
    // In sequence: in parallel they would share the bandwidth, and their progress would be unreadable.
    for (const kind of wanted) await pull(docker, composeService(kind).image, context, step)
  })
}

async function bringUp(
  docker: DockerCommand,
  { project, ports, password }: { project: Project; ports: Ports; password: string },
  context: ServerContext,
): Promise<Partial<Record<ServerKind, string>>> {
  const kinds = Object.keys(ports) as ServerKind[]
  const names = kinds.map((kind) => properNames[kind]).join(', ')
  return context.reporter.step(`${names} in containers`, async (step) => {
    // --no-deps skips the job that checks .env, whose image does not exist here. The passwords are those of the run directory.
    const up = ['up', '--detach', '--no-build', '--no-deps', ...kinds]
    await compose(docker, project, up, { context, now: step.now })
    const urls = kinds.map((kind) => {
      return [kind, urlOf[kind]({ host: '127.0.0.1', port: ports[kind] ?? 0, password })] as const
    })
    for (const [kind, url] of urls) {
      step.now(`waiting for ${properNames[kind]}`)
      const { signal, host } = context
      const what = `Waiting for ${properNames[kind]} (log: ${host.logs}/docker.log)`
      await until(() => readinessOf[kind](url), { what, withinMs: readyWithinMs, everyMs: 100, signal })
    }
    step.result(`ports ${Object.values(ports).join(', ')}`)
    return Object.fromEntries(urls)
  })
}

/** Stores the containers' logs, which Docker deletes with the containers. */
async function saveLogs(docker: DockerCommand, project: Project, context: ServerContext): Promise<void> {
  try {
    await compose(docker, project, ['logs', '--no-color', '--tail', '50'], { context })
  } catch (error) {
    context.reporter.print(`The containers' logs could not be stored: ${String(error)}`)
  }
}

type Kept = {
  /** The name of the project, which is the prefix of its volumes' names. */
  readonly project: string
  /** The password of all servers. Their volumes keep the first password. */
  readonly password: string
}

const folderIn = (directory: string) => join(directory, 'docker')
const keptFile = (directory: string) => join(folderIn(directory), 'kept.json')
const portsFile = (directory: string) => join(folderIn(directory), 'ports.json')

function loadKept(directory: string): Kept | null {
  const text = readIfPresent(keptFile(directory))
  return text === null ? null : (JSON.parse(text) as Kept)
}

function newKept(directory: string): Kept {
  const kept = {
    project: `platter-${randomBytes(4).toString('hex')}`,
    password: randomBytes(18).toString('hex'),
  }
  mkdirSync(folderIn(directory), { recursive: true })
  writeWhole(keptFile(directory), `${JSON.stringify(kept)}\n`)
  return kept
}

function projectOf(directory: string, { project, password }: Kept): Project {
  return { name: project, files: [portsFile(directory)], variables: passwordVariables(password) }
}

/** Writes a second Compose file, which is merged into the first one. JSON is valid YAML. */
function publishPorts(directory: string, ports: Ports): void {
  const services: Record<string, { ports: string[] }> = {}
  for (const [kind, port] of Object.entries(ports))
    services[kind] = { ports: [`127.0.0.1:${port}:${innerPorts[kind as ServerKind]}`] }
  writeWhole(portsFile(directory), `${JSON.stringify({ services })}\n`)
}
