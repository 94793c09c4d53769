/**
 * `npm start`: starts the whole platform in the foreground and runs it until Ctrl-C.
 */
import { once } from 'node:events'
import { join, relative } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { followLogs } from './logs.ts'
import { reporterFor, type Reporter } from './progress.ts'
import { exportLine, firstRequest } from './seed/first-request.ts'
import { isServerChoice, serverChoices } from './servers/choice.ts'
import type { HttpsFront } from './stack/https.ts'
import { startStack, type Stack } from './stack.ts'

const usage = `npm start [-- options]
  --replicas N   replicas of every service (1)
  --port N       port of the gateway (8080); the next free one if it is in use
  --host ADDRESS accept other devices of the network, over https only: an address of this machine, or
                 0.0.0.0 for all of them
  --servers X    source of PostgreSQL, RabbitMQ and Redis: "docker", "native" (processes), or "auto": the
                 ones with the data of earlier starts, else Docker where it works, else processes. The
                 default is PLATTER_SERVERS, else "auto"
  --traces       start Jaeger too, in Docker, and send it every trace
  --logs         print the logs of the services
  --help         print this text
Data, logs and stack.json are in .run/; "npm run reset" deletes them.`

const repository = join(import.meta.dirname, '..')
const runDirectory = join(repository, '.run')

/** A terminal sends Ctrl-C to this process and to npm, and npm forwards it: two signals within this time count as one. */
const SAME_PRESS_MS = 1_000
/** The interval at which the end of npm is checked, because a killed npm sends no signal. */
const NPM_CHECK_MS = 500

try {
  const flags = readFlags()
  if (flags === 'help') console.log(usage)
  else await run(flags)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

async function run(flags: Flags): Promise<void> {
  const reporter = reporterFor(process.stdout)
  const stopping = new AbortController()
  stopOnSignals(stopping, reporter)
  // Without this, a closed reader (a terminal, `| head`) would end this process before it has stopped its children.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const options = { ...flags, runDirectory, reporter, signal: stopping.signal }
  const stack = await startStack(options).catch((error: unknown) => {
    if (isAbort(error, stopping.signal)) return null
    throw error
  })
  if (stack !== null) {
    welcome(stack, reporter)
    if (flags.logs) followLogs(stack.file.data.logs, reporter.print, process.stdout.isTTY)
    await aborted(stopping.signal)
    await stack.stop()
  }
  process.exit(0)
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return (
    signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'))
  )
}

type Flags = {
  readonly replicas: number
  readonly port: number
  readonly host?: string
  readonly traces: boolean
  readonly logs: boolean
}

function readFlags(): Flags | 'help' {
  const { values } = parseArgs({
    options: {
      replicas: { type: 'string', default: '1' },
      port: { type: 'string', default: '8080' },
      host: { type: 'string' },
      servers: { type: 'string' },
      traces: { type: 'boolean', default: false },
      logs: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { replicas, port, host, servers, traces, logs } = values
  if (servers !== undefined) chooseServers(servers)
  return {
    replicas: wholeNumber('replicas', replicas, 9),
    port: wholeNumber('port', port, 65_535),
    ...(host !== undefined && { host }),
    traces,
    logs,
  }
}

function chooseServers(text: string): void {
  if (!isServerChoice(text))
    throw new Error(
      `--servers takes one of ${serverChoices.join(', ')}, not "${text}". See npm start -- --help`,
    )
  process.env['PLATTER_SERVERS'] = text
}

function wholeNumber(flag: string, text: string, highest: number): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= highest) return number
  throw new Error(
    `--${flag} takes a whole number from 1 to ${highest}, not "${text}". See npm start -- --help`,
  )
}

function stopOnSignals(stopping: AbortController, reporter: Reporter): void {
  let since: number | undefined
  const stop = (why: string) => {
    if (since === undefined) {
      since = performance.now()
      reporter.print(
        `${why}: stopping${why === 'SIGINT' ? '. Press Ctrl-C again to kill all processes at once.' : ''}`,
      )
      stopping.abort(new Error(why))
    } else if (why === 'SIGINT' && performance.now() - since > SAME_PRESS_MS) {
      // The listener of 'exit' in stack.ts kills the remaining processes.
      process.exit(130)
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal))
  stopWithNpm(stop)
}

/** A killed npm sends no signal. The script `start` uses `exec`, so npm is the parent, and this process gets another one at its end. */
function stopWithNpm(stop: (why: string) => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const npm = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === npm) return
    clearInterval(watch)
    stop('npm has ended')
  }, NPM_CHECK_MS)
  watch.unref()
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  // If the environment has the URLs of all servers, no other handle keeps this process alive.
  const alive = setInterval(() => undefined, 60_000)
  await once(signal, 'abort')
  clearInterval(alive)
}

function bold(text: string): string {
  return styleText('bold', text)
}

/** The access key of the restaurant whose orders are handled in the console. */
function consoleKey({ seed }: Stack): string {
  const { restaurants } = seed
  return restaurants.find(({ link }) => link === 'console')?.accessKey ?? 'the keys are in stack.json'
}

function httpsNotice({ certificate, fingerprint }: HttpsFront): string[] {
  return [
    'All devices in this network can now reach the gateway, over https only. Over plain http, access keys could be',
    'read in transit, and browsers allow the console neither to sign in nor to notify.',
    'This machine signed the certificate, so each browser warns once. Compare its SHA-256 before you accept it:',
    `  ${fingerprint}`,
    `Or install ${relative(process.cwd(), certificate)} as trusted on the device.`,
  ]
}

function welcome(stack: Stack, reporter: Reporter): void {
  const logs = join(relative(process.cwd(), runDirectory) || '.', 'logs/<service>.log')
  const more = stack.gateways.length > 1 ? `  and ${stack.gateways.slice(1).join(', ')}` : ''
  for (const line of [
    '',
    `${bold('Platter is running')} at ${bold(stack.gateway)}${more}`,
    '',
    `  access key  ${stack.seed.accessKey}`,
    `  console     ${stack.gateway}/console/  for a restaurant's orders: ${consoleKey(stack)}`,
    ...(stack.https?.urls.map((url) => `  by network  ${url}/console/`) ?? []),
    `  logs        ${logs}`,
    `  traces      ${stack.traces ?? 'off; set OTEL_EXPORTER_OTLP_ENDPOINT, or start with --traces'}`,
    `  for tools   ${join(relative(process.cwd(), runDirectory) || '.', 'stack.json')}`,
    '  stop        Ctrl-C; "npm run reset" deletes the data',
    '',
    ...(stack.https === null ? [] : [...httpsNotice(stack.https), '']),
    'Paste these lines into another shell for a first request; the README continues with "A first order":',
    '',
    exportLine(stack.gateway, stack.seed.accessKey),
    firstRequest,
    '',
  ]) {
    reporter.print(line)
  }
}
