import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '../../dev/process/ports.ts'
import { until } from '../../dev/process/wait.ts'
import { isPortOpen, isRabbitmqReady } from '../../dev/servers/readiness.ts'
import { brokerServices } from '../../dev/servers/rabbitmq-users.ts'
import {
  brokerSpec,
  epmdSpec,
  erlangEnvironment,
  findRabbitmq,
  loadPasswords,
  urlOf,
  writeConfiguration,
  type Node,
} from '../../dev/servers/rabbitmq.ts'
import type { Server, ServerContext } from '../../dev/servers/types.ts'

const NODES = 3
const JOINED_WITHIN_MS = 120_000

export type RabbitmqCluster = Awaited<ReturnType<typeof startCluster>>

/** Starts a cluster of RabbitMQ nodes on this machine. A killed node stays stopped. */
export async function startCluster(context: ServerContext) {
  const { host, directory } = context
  const nodes = await prepareNodes(directory)
  const first = nodes[0]!
  host.spawn(epmdSpec(first, context))
  await until(() => isPortOpen('127.0.0.1', first.epmd), { what: 'Starting epmd', withinMs: 10_000 })
  const children = nodes.map((node) => host.spawn(brokerSpec(node, context)))
  // The command below fails until its node runs. Then it waits until all nodes have joined.
  const isRunning = () => isRabbitmqReady(urlOf(first, 'platter'))
  await until(isRunning, { what: 'Starting a node', withinMs: JOINED_WITHIN_MS, everyMs: 1_000 })
  const command = join(dirname(first.program), 'rabbitmqctl')
  const args = ['--node', first.name, 'await_online_nodes', String(NODES)]
  await promisify(execFile)(command, args, { env: erlangEnvironment(first), timeout: JOINED_WITHIN_MS })
  // The format of AMQP_URL.
  const urlsFor = (user: Parameters<typeof urlOf>[1]) => nodes.map((node) => urlOf(node, user)).join(',')
  const server: Server = {
    kind: 'rabbitmq',
    url: urlOf(first, 'platter'),
    urls: Object.fromEntries(brokerServices.map((service) => [service, urlsFor(service)])),
    origin: 'native',
    data: null,
    pids: () => children.flatMap(({ pid }) => pid ?? []),
    // The host of the stack stops the processes.
    stop: () => Promise.resolve(),
  }
  return {
    server,
    /** Kills the first node. It is the first of all URLs, so every service is connected to it, and it leads their queues. */
    kill: () => process.kill(children[0]!.pid!, 'SIGKILL'),
  }
}

async function prepareNodes(directory: string): Promise<readonly Node[]> {
  const program = findRabbitmq()
  if (program === null) throw new Error('There is no rabbitmq-server on this machine')
  const passwords = loadPasswords(join(directory, 'passwords.json'))
  // Nodes that start at the same time without a cookie would each create one.
  writeFileSync(join(directory, '.erlang.cookie'), randomUUID(), { mode: 0o400 })
  const [epmd = 0, ...ports] = await freePorts(1 + 2 * NODES)
  const nodes = Array.from({ length: NODES }, (_, at) => {
    const folder = join(directory, `node-${at + 1}`)
    mkdirSync(folder, { recursive: true })
    const [amqp = 0, distribution = 0] = ports.slice(2 * at)
    const name = `platter-cluster-${at + 1}@localhost`
    return { name, folder, home: directory, program, passwords, amqp, distribution, epmd }
  })
  const lines = [
    'cluster_partition_handling = pause_minority',
    'cluster_formation.peer_discovery_backend = classic_config',
    ...nodes.map(({ name }, at) => `cluster_formation.classic_config.nodes.${at + 1} = ${name}`),
  ]
  for (const node of nodes) writeConfiguration(node, lines)
  return nodes
}
