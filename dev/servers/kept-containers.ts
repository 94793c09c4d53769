import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../process/files.ts'
import { createProcessHost } from '../process/host.ts'
import { readIfPresent } from '../process/identity.ts'
import { freePorts } from '../process/ports.ts'
import type { Reporter } from '../progress.ts'
import { readinessOf } from './readiness.ts'
import { compose, findDocker, startProject, type Project } from './compose-command.ts'
import { innerPorts, passwordVariables, urlOf } from './contained.ts'
import { properNames, type Server, type ServerContext, type ServerKind } from './types.ts'

/**
 * Starts the servers as containers of docker-compose.yml, in one project for each run directory, on free ports of loopback.
 * Their data stay in the project's volumes until `removeKeptContainers`.
 */
export async function startKeptContainers(
  wanted: readonly ServerKind[],
  context: ServerContext,
): Promise<Server[]> {
  const docker = await findDocker()
  const kept = loadKept(context.directory) ?? newKept(context.directory)
  const ports = await freePorts(wanted.length)
  const servers = wanted.map((kind, at) => {
    const port = ports[at] ?? 0
    const url = urlOf[kind]({ host: '127.0.0.1', port, password: kept.password })
    return { kind, url, port, published: `127.0.0.1:${port}:${innerPorts[kind]}` }
  })
  const services = servers.map(({ kind, url, port, published }) => {
    return { service: kind, name: properNames[kind], port, published, isReady: () => readinessOf[kind](url) }
  })
  const stop = await startProject(docker, projectOf(context.directory, kept), services, context)
  return servers.map(({ kind, url }) => ({ kind, url, origin: 'docker', data: null, pids: () => [], stop }))
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

type Kept = {
  /** The name of the project, which is the prefix of its volumes' names. */
  readonly project: string
  /** The password of all servers. Their volumes keep the first password. */
  readonly password: string
}

const folderIn = (directory: string) => join(directory, 'docker')
const keptFile = (directory: string) => join(folderIn(directory), 'kept.json')

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
  const file = join(folderIn(directory), 'ports.json')
  return { name: project, file, variables: passwordVariables(password) }
}
