import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '../../dev/process/ports.ts'
import { until } from '../../dev/process/wait.ts'
import { isPortOpen } from '../../dev/servers/readiness.ts'
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
import { tally } from '../support/statistics.ts'

const NODES = 3

export type RabbitmqCluster = Awaited<ReturnType<typeof startCluster>>

/** Starts a cluster of RabbitMQ nodes on this machine. A killed node stays stopped. */
export async function startCluster(context: ServerContext) {
  const { host, directory } = context
  const nodes = await prepareNodes(directory)
  const first = nodes[0]!
  host.spawn(epmdSpec(first, context))
  await until(() => isPortOpen('127.0.0.1', first.epmd), { what: 'Starting epmd', withinMs: 10_000 })
  const children = new Map(nodes.map((node) => [node.name, host.spawn(brokerSpec(node, context))]))
  // The test kills another node than the last one.
  const control = (...command: readonly string[]) => runControl(nodes.at(-1)!, command)
  // The command fails until its node runs.
  const isJoined = () =>
    control('await_online_nodes', String(NODES)).then(
      () => true,
      () => false,
    )
  await until(isJoined, { what: 'Joining the nodes', withinMs: 120_000, everyMs: 1_000 })
  // The format of AMQP_URL.
  const urlsFor = (user: Parameters<typeof urlOf>[1]) => nodes.map((node) => urlOf(node, user)).join(',')
  const server: Server = {
    kind: 'rabbitmq',
    url: urlOf(first, 'platter'),
    urls: Object.fromEntries(brokerServices.map((service) => [service, urlsFor(service)])),
    origin: 'native',
    data: null,
    pids: () => [...children.values()].flatMap(({ pid }) => pid ?? []),
    // The host of the stack stops the processes.
    stop: () => Promise.resolve(),
  }
  return {
    server,
    /** Returns the number of queues that each node leads or stores alone, the busiest node first. */
    leaders: async () => leadersOf(await control('--silent', 'list_queues', 'name', 'pid', 'leader')),
    kill: (name: string) => process.kill(children.get(name)!.pid!, 'SIGKILL'),
  }
}

function leadersOf(table: string): { node: string; queues: number }[] {
  // The process of a classic queue is named <node.numbers>. Without a leader there is no third column.
  const nodes = table
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([queue = '']) => /\.v[23]$/.test(queue))
    .map(([, pid = '', leader]) => leader || (/<(?<node>.*?)\.\d/.exec(pid)?.groups?.['node'] ?? pid))
  return Object.entries(tally(nodes))
    .map(([node, queues = 0]) => ({ node, queues }))
    .toSorted((one, other) => other.queues - one.queues)
}

async function runControl(node: Node, command: readonly string[]): Promise<string> {
  const program = join(dirname(node.program), 'rabbitmqctl')
  const { stdout } = await promisify(execFile)(program, ['--node', node.name, ...command], {
    env: erlangEnvironment(node),
    timeout: 30_000,
  })
  return stdout
}

async function prepareNodes(directory: string): Promise<readonly Node[]> {
  const program = findRabbitmq()
  if (program === null) throw new Error('There is no rabbitmq-server on this machine')
  const passwords = loadPasswords(join(directory, 'passwords.json'))
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
