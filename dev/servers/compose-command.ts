import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { writeWhole } from '../process/files.ts'
import { findProgram, type ProcessSpec } from '../process/host.ts'
import { runToEnd } from '../process/run.ts'
import { until } from '../process/wait.ts'
import type { Step } from '../progress.ts'
import { composeFile, composeService } from './compose-file.ts'
import { NoEngine, type ServerContext } from './types.ts'

const execute = promisify(execFile)

/** An available Docker, with its Compose: v2, or docker-compose 1.29. */
type DockerCommand = {
  readonly docker: string
  readonly compose: readonly string[]
}

/** The time limit of one check. */
const engineWithinMs = 5000
/** On a slow network, pulling RabbitMQ takes a few minutes. */
const pullWithinMs = 600_000
const composeWithinMs = 120_000
/** On a busy machine, the first start of RabbitMQ is slow. */
const readyWithinMs = 120_000

/** Finds Docker. Throws NoEngine if no engine responds. */
export async function findDocker(): Promise<DockerCommand> {
  const docker = findProgram('docker', '/usr/local/bin')
  if (docker === null || !(await succeeds(docker, 'version', '--format', '{{.Server.Version}}')))
    throw new NoEngine()
  if (await succeeds(docker, 'compose', 'version')) return { docker, compose: [docker, 'compose'] }
  const standalone = findProgram('docker-compose', '/usr/local/bin')
  if (standalone !== null) return { docker, compose: [standalone] }
  throw new Error('neither "docker compose" nor docker-compose was found')
}

/** Services of docker-compose.yml under another project name. */
export type Project = {
  readonly name: string
  /** A second Compose file, which is merged into docker-compose.yml. */
  readonly file: string
  readonly variables: Readonly<Record<string, string>>
}

/** A service of docker-compose.yml to start in a container. */
type ProjectService = {
  readonly service: string
  /** The name in the output. */
  readonly name: string
  /** The port in the output. */
  readonly port: number
  /** A published port, as in a Compose file. */
  readonly published: string
  readonly isReady: () => Promise<boolean>
}

/**
 * Starts services of a project and waits until they are ready. Returns a function that stops all of them. If they do not become
 * ready, their logs are stored and they are stopped.
 */
export async function startProject(
  docker: DockerCommand,
  project: Project,
  services: readonly ProjectService[],
  context: ServerContext,
): Promise<() => Promise<void>> {
  const names = services.map(({ name }) => name).join(', ')
  publish(project, services)
  await context.reporter.step(`Docker images of ${names}`, async (step) => {
    // In sequence: in parallel they would share the bandwidth, and their progress would be unreadable.
    for (const { service } of services) await pull(docker, composeService(service).image, context, step)
  })
  let down: Promise<void> | undefined
  const stop = () => (down ??= compose(docker, project, ['down', '--timeout', '20'], { context }))
  try {
    await context.reporter.step(`${names} in containers`, async (step) => {
      // --no-deps skips the job that checks .env, whose image does not exist here. The passwords are those of the run directory.
      const up = ['up', '--detach', '--no-build', '--no-deps', ...services.map(({ service }) => service)]
      await compose(docker, project, up, { context, now: step.now })
      for (const one of services) await awaitReady(one, context, step)
      const ports = services.map(({ port }) => port).join(', ')
      step.result(`${services.length === 1 ? 'port' : 'ports'} ${ports}`)
    })
    return stop
  } catch (error) {
    if (context.signal?.aborted !== true) await saveLogs(docker, project, context)
    await stop()
    throw error
  }
}

async function awaitReady(
  { name, isReady }: ProjectService,
  { host, signal }: ServerContext,
  step: Step,
): Promise<void> {
  step.now(`waiting for ${name}`)
  const what = `Waiting for ${name} (log: ${host.logs}/docker.log)`
  await until(isReady, { what, withinMs: readyWithinMs, everyMs: 100, signal })
}

/** Pulls an image, unless it exists. */
async function pull(
  { docker }: DockerCommand,
  image: string,
  context: ServerContext,
  step: Step,
): Promise<void> {
  if (await succeeds(docker, 'image', 'inspect', image)) return
  const run = { withinMs: pullWithinMs, signal: context.signal }
  const spec = specOf('docker pull', [docker, 'pull', image], {}, context)
  await runToEnd(context.host, spec, { ...run, now: (line) => step.now(`${image} ${line}`) })
}

/** Writes the second Compose file. JSON is valid YAML. */
function publish({ file }: Project, published: readonly ProjectService[]): void {
  const services = Object.fromEntries(published.map((one) => [one.service, { ports: [one.published] }]))
  mkdirSync(dirname(file), { recursive: true })
  writeWhole(file, `${JSON.stringify({ services })}\n`)
}

/** Stores the containers' logs, which Docker deletes with the containers. */
async function saveLogs(docker: DockerCommand, project: Project, context: ServerContext): Promise<void> {
  try {
    await compose(docker, project, ['logs', '--no-color', '--tail', '50'], { context })
  } catch (error) {
    context.reporter.print(`The containers' logs could not be stored: ${String(error)}`)
  }
}

/** Runs one command of Compose for a project. */
export async function compose(
  { compose: program }: DockerCommand,
  { name, file, variables }: Project,
  command: readonly string[],
  { context, now = () => undefined }: { context: ServerContext; now?: (line: string) => void },
): Promise<void> {
  const words = [...program, '--project-name', name, '--file', composeFile, '--file', file, ...command]
  const spec = specOf(`docker compose ${command[0]}`, words, variables, context)
  // A clean-up command must not be aborted by the signal that caused the clean-up.
  const signal = command[0] === 'up' ? context.signal : undefined
  await runToEnd(context.host, spec, { now, withinMs: composeWithinMs, signal })
}

async function succeeds(program: string, ...args: string[]): Promise<boolean> {
  try {
    await execute(program, args, { timeout: engineWithinMs })
    return true
  } catch {
    // Docker is missing, does not respond, or reports an error: it is unavailable.
    return false
  }
}

function specOf(
  name: string,
  [command = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
  context: ServerContext,
): ProcessSpec {
  return {
    name,
    command,
    args,
    env: { ...process.env, ...variables },
    // Compose reads `.env` from this folder.
    cwd: join(composeFile, '..'),
    log: join(context.host.logs, 'docker.log'),
    stopSignal: 'SIGINT',
    orphanSignal: 'SIGINT',
  }
}
