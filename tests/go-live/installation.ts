import { execFile } from 'node:child_process'
import { randomBytes, randomInt, type X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { connect } from 'node:tls'
import { Agent, request } from 'undici'
import { freePorts } from '../../dev/process/ports.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The first command builds the images, on a busy machine without a cache. */
const COMMAND_MS = 1_200_000
/** A public name, because earlier versions require one for a certificate by ACME. No name server receives a query for it. */
const DOMAIN = 'orders.platter-rehearsal.org'
/** The tag of the images of this repository. */
export const CURRENT = 'go-live-a'

type Ended = { status: number; stdout: string; output: string }
export type Reply = { status: number; body: Record<string, unknown>; headers: Record<string, unknown> }
type Sent = { key?: string; body?: object; idempotencyKey?: string; headers?: Record<string, string> }

/** An installation of docker-compose.production.yml in a copy of the repository, with a separate name and separate ports. */
export class Installation {
  readonly folder: string
  readonly domain = DOMAIN
  readonly project = `platter-go-live-${randomBytes(3).toString('hex')}`
  /** The tag of the images. */
  version = CURRENT
  port = 0
  httpPort = 0
  /** The certificate of the authority that clients trust. */
  authority: string | undefined

  /** A network that differs from other installations on the same machine. */
  readonly #network = `172.31.${randomInt(86, 256)}.0/28`

  constructor(folder: string) {
    this.folder = folder
  }

  /** Copies the repository, and writes the answers for set-up. `overlay`: the services of a further Compose file. */
  async prepare(answers: Readonly<Record<string, string>>, overlay: string): Promise<void> {
    const left = new Set(['node_modules', '.git', '.run', '.env', '.turbo', 'dist', 'operator.key'])
    mkdirSync(this.folder, { recursive: true, mode: 0o755 })
    cpSync(ROOT, this.folder, {
      recursive: true,
      filter: (path) => relative(ROOT, path) === '' || !left.has(basename(path)),
    })
    const [http = 0, https = 0] = await freePorts(2)
    this.httpPort = http
    this.port = https
    const files = ['production', 'backup', 'go-live'].map((name) => `docker-compose.${name}.yml`)
    const lines = { ...answers, COMPOSE_FILE: files.join(':'), HTTP_PORT: http, HTTPS_PORT: https }
    this.write(
      'answers',
      `${Object.entries(lines)
        .map(([name, value]) => `${name}=${value}`)
        .join('\n')}\n`,
    )
    // PostgreSQL writes its WAL here as another user.
    mkdirSync(join(this.folder, 'wal/wal'), { recursive: true })
    for (const name of ['wal', 'wal/wal']) chmodSync(join(this.folder, name), 0o777)
    this.write('docker-compose.go-live.yml', `services:\n${overlay}`)
  }

  /** Runs set-up in its container. It writes .env and operator.key. */
  async setUp(): Promise<void> {
    const setup = ['setup', '--domain', DOMAIN, '--processor', 'stripe', '--from', 'answers']
    await this.compose('-f', 'docker-compose.production.yml', 'run', '--rm', '-T', ...setup)
    for (const name of ['.env', 'operator.key'])
      if ((statSync(join(this.folder, name)).mode & 0o777) !== 0o600)
        throw new Error(`${name} is readable for others`)
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content)
  }

  /** Sets a variable in .env. */
  configure(name: string, value: string): void {
    const lines = readFileSync(join(this.folder, '.env'), 'utf8').trimEnd().split('\n')
    const others = lines.filter((line) => !line.startsWith(`${name}=`))
    this.write('.env', [...others, `${name}=${value}`, ''].join('\n'))
  }

  /** Runs a command in the folder, and returns its standard output. If it fails, rejects with all output. */
  async run(program: string, ...given: readonly string[]): Promise<string> {
    const { status, stdout, output } = await this.attempt(program, ...given)
    if (status !== 0)
      throw new Error(
        `${program} ${given.join(' ')}: status ${status}\n${stdout.slice(-1_000)}\n${output.slice(stdout.length).slice(-1_500)}`,
      )
    return stdout
  }

  attempt(program: string, ...given: readonly string[]): Promise<Ended> {
    const { PATH, HOME, DOCKER_HOST, TMPDIR } = process.env
    const env = {
      PATH,
      HOME,
      DOCKER_HOST,
      TMPDIR,
      COMPOSE_PROJECT_NAME: this.project,
      PLATTER_VERSION: this.version,
      EDGE_NETWORK: this.#network,
    }
    const options = { cwd: this.folder, env, maxBuffer: 64 * 1024 * 1024, timeout: COMMAND_MS }
    return new Promise((resolve) => {
      execFile(program, given, options, (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code ?? 1) || 1 : 0, stdout, output: stdout + stderr }),
      )
    })
  }

  compose = (...given: readonly string[]): Promise<string> => this.run('docker', 'compose', ...given)

  /** Runs SQL in the PostgreSQL of Compose. Returns its rows without a header. */
  sql = (query: string): Promise<string> =>
    this.compose('exec', '-T', 'postgres', 'psql', '-U', 'postgres', '-AtX', '-d', 'platter', '-c', query)

  /** Runs the operator's tool in its container. */
  platter = (...given: readonly string[]): Promise<string> =>
    this.compose('run', '--rm', '-T', 'platter', ...given)

  /** Returns the findings of `platter doctor` that are not ok, by check. */
  async doctor(): Promise<Record<string, string>> {
    const command = ['compose', 'run', '--rm', '-T', 'platter', 'doctor', '--json']
    const { stdout } = await this.attempt('docker', ...command)
    const findings = JSON.parse(stdout) as { check: string; state: string; detail: string }[]
    return Object.fromEntries(
      findings.filter(({ state }) => state !== 'ok').map((one) => [one.check, one.detail]),
    )
  }

  /** The options of a new TLS connection, which verifies the certificate. */
  get connection() {
    const { port, domain: servername, authority } = this
    const ca = authority === undefined ? {} : { ca: authority }
    return { host: '127.0.0.1', port, servername, timeout: 12_000, ...ca }
  }

  /** Calls the platform over TLS. Each request opens a new connection, as for separate clients. */
  async call(path: string, { key, body, idempotencyKey, headers }: Sent = {}): Promise<Reply> {
    const { timeout, ...tls } = this.connection
    const times = { headersTimeout: timeout, bodyTimeout: timeout }
    const response = await request(`https://127.0.0.1:${this.port}${path}`, {
      dispatcher: new Agent({ connect: { ...tls, timeout }, allowH2: false, ...times }),
      reset: true,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        host: DOMAIN,
        ...(key !== undefined && { 'x-access-token': key }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const { statusCode: status, headers: received } = response
    return { status, body: parsed(await response.body.text()), headers: received }
  }

  /** Returns the status of a request without TLS. */
  async plainStatus(): Promise<number> {
    const headers = { host: this.domain }
    const { statusCode, body } = await request(`http://127.0.0.1:${this.httpPort}`, { headers, reset: true })
    await body.dump()
    return statusCode
  }

  /** Returns the certificate with which Caddy responds. Rejects if clients do not accept it. */
  async certificate(): Promise<X509Certificate> {
    const socket = connect(this.connection)
    socket.on('timeout', () => socket.destroy(new Error('no response in 12 s')))
    await once(socket, 'secureConnect')
    const certificate = socket.getPeerX509Certificate()!
    socket.destroy()
    return certificate
  }

  async remove(): Promise<void> {
    await this.attempt('docker', 'compose', '--profile', '*', 'down', '--volumes', '--timeout', '5')
  }
}

function parsed(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>
  } catch {
    return {}
  }
}
