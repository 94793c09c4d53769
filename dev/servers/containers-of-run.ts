import { randomBytes } from 'node:crypto'
import type { StartedTestContainer } from 'testcontainers'
import type { Step } from '../progress.ts'
import { until, within } from '../process/wait.ts'
import { readinessOf } from './readiness.ts'
import { composeService } from './compose-file.ts'
import { innerPorts, passwordVariables, urlOf } from './contained.ts'
import { NoEngine, properNames, type Server, type ServerContext, type ServerKind } from './types.ts'

/** The time limit of one check. */
const engineWithinMs = 10_000
/** Includes the time to pull images. */
const startWithinMs = 300_000
const readyWithinMs = 60_000

/**
 * Starts empty servers for one run by testcontainers, with the images and settings of docker-compose.yml, on new ports. Its
 * reaper ends them even when this process is killed.
 */
export async function startContainersOfRun(
  wanted: readonly ServerKind[],
  context: ServerContext,
): Promise<Server[]> {
  // Loaded on demand: the modules take half a second, and most starts need no containers.
  const { getContainerRuntimeClient } = await import('testcontainers')
  const engine = await within(
    engineWithinMs,
    getContainerRuntimeClient().catch(() => null),
  )
  if (engine === null) throw new NoEngine()
  const started = await Promise.allSettled(wanted.map((kind) => startContainer(kind, context)))
  const servers = started.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
  const failed = started.find((one) => one.status === 'rejected')
  if (failed === undefined) return servers
  await Promise.all(servers.map((server) => server.stop()))
  throw failed.reason
}

function startContainer(kind: ServerKind, { reporter, signal }: ServerContext): Promise<Server> {
  return reporter.step(`${properNames[kind]} in a container`, async (step) => {
    const password = randomBytes(18).toString('hex')
    const container = await within(startWithinMs, create(kind, password, step))
    if (container === null) throw new Error(`no ${kind} after ${startWithinMs / 1000} s`)
    const host = container.getHost().replace('localhost', '127.0.0.1')
    const port = container.getMappedPort(innerPorts[kind])
    const url = urlOf[kind]({ host, port, password })
    const what = `Waiting for ${properNames[kind]} at ${host}:${port}`
    await until(() => readinessOf[kind](url), { what, withinMs: readyWithinMs, signal })
    step.result(`port ${port}`)
    const stop = async () => void (await container.stop())
    return { kind, url, origin: 'docker', data: null, pids: () => [], stop }
  })
}

async function create(kind: ServerKind, password: string, step: Step): Promise<StartedTestContainer> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const { image, command = [], environment = {} } = composeService(kind, passwordVariables(password))
  step.now(image)
  return new GenericContainer(image)
    .withCommand(command)
    .withEnvironment(environment)
    .withExposedPorts(innerPorts[kind])
    .withWaitStrategy(Wait.forListeningPorts())
    .withStartupTimeout(readyWithinMs)
    .start()
}
