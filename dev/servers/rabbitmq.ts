import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeWhole } from '../process/files.ts'
import { findProgram, type ProcessSpec } from '../process/host.ts'
import { readIfPresent } from '../process/identity.ts'
import { freePorts } from '../process/ports.ts'
import { Supervised } from '../process/supervise.ts'
import { isRabbitmqReady, isPortOpen } from './readiness.ts'
import { brokerServices, definitions } from './rabbitmq-users.ts'
import type { Server, ServerContext } from './types.ts'

/** Returns the RabbitMQ program of this machine; null if there is none. */
export function findRabbitmq(): string | null {
  // Debian's program on PATH is a wrapper, which runs RabbitMQ only as the user rabbitmq.
  const real = '/usr/lib/rabbitmq/bin/rabbitmq-server'
  return existsSync(real) ? real : findProgram('rabbitmq-server', '/usr/sbin', '/usr/local/sbin')
}

/** The passwords of the services' users and of the administrator. */
type Name = (typeof brokerServices)[number] | 'platter'
type Passwords = Readonly<Record<Name, string>>

/** A node that can be started. */
export type Node = {
  readonly name: string
  readonly folder: string
  /** The folder with Erlang's cookie, which the nodes of a cluster share. */
  readonly home: string
  readonly program: string
  readonly passwords: Passwords
  readonly amqp: number
  readonly distribution: number
  readonly epmd: number
}

/**
 * Starts a RabbitMQ node on free ports, without plugins, with its data in the run directory. `lines`: further lines of rabbitmq.conf.
 */
export function startRabbitmq(context: ServerContext, lines: readonly string[] = []): Promise<Server> {
  return context.reporter.step('RabbitMQ', async (step) => {
    const node = await prepareOnlyNode(context, lines)
    const { signal } = context
    const names = new Supervised(context, () => epmdSpec(node, context))
    await names.ready(() => isPortOpen('127.0.0.1', node.epmd), { withinMs: 10_000, signal })
    const broker = new Supervised(context, () => forgetHalfMade(node, brokerSpec(node, context)))
    const url = urlOf(node, 'platter')
    await broker.ready(() => isRabbitmqReady(url), { withinMs: 90_000, signal })
    writeFileSync(completeFile(node), '')
    step.result(`port ${node.amqp}`)
    return {
      kind: 'rabbitmq',
      url,
      urls: Object.fromEntries(brokerServices.map((name) => [name, urlOf(node, name)])),
      origin: 'native',
      data: node.folder,
      pids: broker.pids,
      stop: async () => {
        await broker.stop()
        await names.stop()
      },
    }
  })
}

/** Returns the URL of a node for one of its users. */
export const urlOf = ({ passwords, amqp }: Node, name: Name): string =>
  `amqp://${name}:${passwords[name]}@127.0.0.1:${amqp}`

async function prepareOnlyNode({ directory }: ServerContext, lines: readonly string[]): Promise<Node> {
  const program = findRabbitmq()
  if (program === null) throw new Error('rabbitmq-server was not found on this machine')
  const folder = join(directory, 'rabbitmq')
  mkdirSync(folder, { recursive: true })
  const [amqp = 0, distribution = 0, epmd = 0] = await freePorts(3)
  const passwords = loadPasswords(join(folder, 'passwords.json'))
  const node = {
    name: nodeName(directory),
    folder,
    home: folder,
    program,
    passwords,
    amqp,
    distribution,
    epmd,
  }
  writeConfiguration(node, lines)
  return node
}

/** `lines`: further lines of rabbitmq.conf. */
export function writeConfiguration(node: Node, lines: readonly string[] = []): void {
  const { folder, passwords } = node
  const definitionsFile = join(folder, 'definitions.json')
  // Every file is written, because RabbitMQ would otherwise use the file in /etc/rabbitmq. `[].` is the empty list in Erlang.
  const files = {
    'env.conf': '',
    'rabbitmq.conf': `${['log.console = true', 'log.file = false', `load_definitions = ${definitionsFile}`, ...lines].join('\n')}\n`,
    'advanced.config': '[].\n',
    enabled_plugins: '[].\n',
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const administrator = { name: 'platter', password: passwords.platter }
  writeWhole(definitionsFile, JSON.stringify(definitions(passwords, administrator)))
  hidePlugins(node)
}

/**
 * Fills the node's own folder of plugins with RabbitMQ and its libraries, and makes its start script search them only there. It would
 * search every plugin on the machine for each of its 1,200 modules: 42,000 failed opens and a tenth of the CPU of a start (3.10).
 */
function hidePlugins({ folder, program }: Node): void {
  const installed = join(dirname(realpathSync(program)), '../plugins')
  const own = pluginsOf(folder)
  rmSync(own, { recursive: true, force: true })
  if (!existsSync(installed)) return
  mkdirSync(own)
  for (const name of readdirSync(installed))
    if (!/^rabbitmq_(?!prelaunch)/.test(name)) symlinkSync(join(installed, name), join(own, name))
  // The script has no other place for this variable, and it searches below `plugins`.
  writeFileSync(join(folder, 'env.conf'), 'RABBITMQ_HOME="$(dirname "$RABBITMQ_PLUGINS_DIR")"\n')
}

const pluginsOf = (folder: string) => join(folder, 'plugins')

const password = () => randomBytes(18).toString('base64url')

/** Returns the stored passwords, or new ones. RabbitMQ loads them at every start, so a lost disk loses no user. */
export function loadPasswords(file: string): Passwords {
  const text = readIfPresent(file)
  if (text !== null) return JSON.parse(text) as Passwords
  const services = brokerServices.map((name) => [name, password()] as const)
  const passwords = { platter: password(), ...Object.fromEntries(services) } as Passwords
  writeWhole(file, JSON.stringify(passwords))
  return passwords
}

// Erlang's directory of nodes (epmd). Without it the VM would start a detached epmd, which would never end.
export function epmdSpec(node: Node, context: ServerContext): ProcessSpec {
  return {
    ...common('epmd', context, node),
    command: findProgram('epmd', '/usr/lib/erlang/bin') ?? 'epmd',
    args: ['-port', String(node.epmd)],
    env: erlangEnvironment(node),
  }
}

/** Returns the process of a node. */
export function brokerSpec(node: Node, context: ServerContext): ProcessSpec {
  const inFolder = (name: string) => join(node.folder, name)
  return {
    ...common('rabbitmq', context, node),
    // Not SIGKILL: a quorum queue that was declared within the last second would never have a leader again (observed with 3.10).
    // SIGTERM takes 1 s, and -shutdown_time (milliseconds) limits it.
    orphanSignal: 'SIGTERM',
    command: node.program,
    args: [],
    env: {
      ...erlangEnvironment(node),
      RABBITMQ_NODENAME: node.name,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: String(node.amqp),
      RABBITMQ_DIST_PORT: String(node.distribution),
      RABBITMQ_MNESIA_BASE: inFolder('mnesia'),
      RABBITMQ_LOG_BASE: inFolder('log'),
      RABBITMQ_PID_FILE: inFolder('pid'),
      RABBITMQ_LOGS: '-',
      RABBITMQ_CONF_ENV_FILE: inFolder('env.conf'),
      RABBITMQ_CONFIG_FILE: inFolder('rabbitmq.conf'),
      RABBITMQ_ADVANCED_CONFIG_FILE: inFolder('advanced.config'),
      RABBITMQ_ENABLED_PLUGINS_FILE: inFolder('enabled_plugins'),
      ...(existsSync(pluginsOf(node.folder)) && { RABBITMQ_PLUGINS_DIR: pluginsOf(node.folder) }),
      // Makes the start script exec the VM, so that signals reach the VM.
      RABBITMQ_ALLOW_INPUT: '1',
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: argumentsOf(node).join(' '),
      // Unbound, because several nodes on one machine would bind their schedulers to the same cores.
      RABBITMQ_SCHEDULER_BIND_TYPE: 'u',
    },
  }
}

/**
 * Returns the arguments of the VM. With a name the VM opens the port of the distribution itself. Otherwise RabbitMQ would start a second
 * VM before that, only to have an epmd.
 */
const argumentsOf = ({ name, distribution }: Node): string[] => [
  '-noinput -start_epmd false',
  `-sname ${name}`,
  '-kernel inet_dist_use_interface {127,0,0,1}',
  `-kernel inet_dist_listen_min ${distribution} inet_dist_listen_max ${distribution}`,
  '-shutdown_time 9000',
]

// A node that is killed while it creates its tables never starts again with these files (3.10: schema_integrity_check_failed). They
// are deleted, because no message in them was confirmed.
function forgetHalfMade(node: Node, spec: ProcessSpec): ProcessSpec {
  if (!existsSync(completeFile(node))) rmSync(join(node.folder, 'mnesia'), { recursive: true, force: true })
  return spec
}

const completeFile = (node: Node) => join(node.folder, 'complete')

/** The variables by which a program of Erlang finds the node. */
export function erlangEnvironment(node: Pick<Node, 'home' | 'epmd'>): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    HOME: node.home,
    ERL_EPMD_PORT: String(node.epmd),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_CRASH_DUMP_SECONDS: '0',
  }
}

function common(name: string, context: ServerContext, node: Node) {
  const log = join(context.host.logs, 'rabbitmq.log')
  return { name, log, cwd: node.folder }
}

// The name is part of the data, so it is equal at every start.
function nodeName(directory: string): string {
  const name = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 8)
  return `platter-${name}@localhost`
}
