import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram, type ProcessSpec } from '../process/host.ts'
import { runToEnd } from '../process/run.ts'
import type { Step } from '../progress.ts'
import { composeFile } from './compose-file.ts'
import { NoEngine, type ServerContext } from './types.ts'

const execute = promisify(execFile)

/** An available Docker, with its Compose: v2, or docker-compose 1.29. */
export type DockerCommand = {
  readonly docker: string
  readonly compose: readonly string[]
}

/** The time limit of one check. */
const engineWithinMs = 5000
/** On a slow network, pulling RabbitMQ takes a few minutes. */
const pullWithinMs = 600_000
const composeWithinMs = 120_000

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

/** Pulls an image, unless it exists. */
export async function pull(
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

/** A Compose project: docker-compose.yml under another name. */
export type Project = {
  readonly name: string
  readonly files: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

/** Runs one command of Compose for a project. */
export async function compose(
  { compose: program }: DockerCommand,
  { name, files, variables }: Project,
  command: readonly string[],
  { context, now = () => undefined }: { context: ServerContext; now?: (line: string) => void },
): Promise<void> {
  const paths = [composeFile, ...files].flatMap((file) => ['--file', file])
  const words = [...program, '--project-name', name, ...paths, ...command]
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
