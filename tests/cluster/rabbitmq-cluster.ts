import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Child } from '../../dev/process/host.ts'
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

const NODES = 3
const execute = promisify(execFile)

/** A cluster of RabbitMQ nodes on this machine. A killed node stays stopped. */
export class RabbitmqCluster {
  readonly #nodes: readonly Node[]
  readonly #children = new Map<Node, Child>()
  readonly #context: ServerContext

  private constructor(context: ServerContext, nodes: readonly Node[]) {
    this.#context = context
    this.#nodes = nodes
  }

  static async start(context: ServerContext): Promise<RabbitmqCluster> {
    const cluster = new RabbitmqCluster(context, await prepareNodes(context.directory))
    await cluster.#start()
    return cluster
  }

  /** The cluster as the server of a stack. The host of the stack stops its processes. */
  get server(): Server {
    // The format of AMQP_URL.
    const urlsFor = (user: Parameters<typeof urlOf>[1]) =>
      this.#nodes.map((node) => urlOf(node, user)).join(',')
    return {
      kind: 'rabbitmq',
      url: urlOf(this.#nodes[0]!, 'platter'),
      urls: Object.fromEntries(brokerServices.map((service) => [service, urlsFor(service)])),
      origin: 'native',
      data: null,
      pids: () => [...this.#children.values()].flatMap(({ pid }) => pid ?? []),
      stop: () => Promise.resolve(),
    }
  }

  /** Returns the number of queues that each node leads or stores alone, the busiest node first. */
  async leaders(): Promise<{ node: string; queues: number }[]> {
    const table = await this.#control('--silent', 'list_queues', 'name', 'pid', 'leader')
    // The process of a classic queue is named <node.numbers>. Without a leader there is no third column.
    const nodes = table
      .split('\n')
      .map((line) => line.split('\t'))
      .filter(([queue = '']) => /\.v[23]$/.test(queue))
      .map(([, pid = '', leader]) => leader || (/<(?<node>.*?)\.\d/.exec(pid)?.groups?.['node'] ?? pid))
    return [...Map.groupBy(nodes, (node) => node)]
      .map(([node, { length }]) => ({ node, queues: length }))
      .toSorted((one, other) => other.queues - one.queues)
  }

  kill(name: string): void {
    const [, child] = [...this.#children].find(([node]) => node.name === name) ?? []
    if (typeof child?.pid !== 'number') throw new Error(`there is no running node ${name}`)
    process.kill(child.pid, 'SIGKILL')
  }

  async #start(): Promise<void> {
    const [first] = this.#nodes
    if (!first) throw new Error('a cluster has nodes')
    const { host } = this.#context
    host.spawn(epmdSpec(first, this.#context))
    await until(() => isPortOpen('127.0.0.1', first.epmd), { what: 'Starting epmd', withinMs: 10_000 })
    for (const node of this.#nodes) this.#children.set(node, host.spawn(brokerSpec(node, this.#context)))
    const isJoined = async () => {
      try {
        const status = JSON.parse(await this.#control('--formatter', 'json', 'cluster_status')) as Status
        return status.running_nodes.length === NODES
      } catch {
        // The queried node has not started yet.
        return false
      }
    }
    await until(isJoined, { what: 'Joining the nodes', withinMs: 120_000, everyMs: 1_000 })
  }

  /** Runs rabbitmqctl on the last node, because the test kills another one. */
  async #control(...command: readonly string[]): Promise<string> {
    const node = this.#nodes.at(-1)
    if (!node) throw new Error('a cluster has nodes')
    const program = join(dirname(node.program), 'rabbitmqctl')
    const { stdout } = await execute(program, ['--node', node.name, ...command], {
      env: erlangEnvironment(node),
      timeout: 30_000,
    })
    return stdout
  }
}

type Status = { running_nodes: string[] }

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
