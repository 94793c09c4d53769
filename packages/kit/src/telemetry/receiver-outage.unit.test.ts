import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'

const SERVICE = fileURLToPath(new URL('./testing/minimal-service.ts', import.meta.url))
type Line = { msg: string; address?: string; reason?: string }

let child: ChildProcess | undefined
afterEach(() => {
  child?.kill('SIGKILL')
})

/** Starts a service that exports all telemetry to the port. `lines` receives its log lines. */
async function startService(otlpPort: number): Promise<{ url: string; lines: Line[] }> {
  const running = spawn(process.execPath, [SERVICE], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PORT: '0',
      NODE_ENV: 'development',
      INTERNAL_SECRET: 'x'.repeat(32),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${otlpPort}`,
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    },
  })
  child = running
  const lines: Line[] = []
  const started = Promise.withResolvers<string>()
  createInterface({ input: running.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line
    lines.push(line)
    if (line.msg === 'started') started.resolve(line.address ?? '')
  })
  return { url: await started.promise, lines }
}

const sendRequest = (url: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { agent: false }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    ).on('error', reject)
  })

async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const listener = createServer(onConnection).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return (listener.address() as AddressInfo).port
}

test.each([
  ['no server listens', () => 1],
  [
    'a server listens and never responds',
    () => listen((socket) => void socket.on('error', () => 'the process was killed').resume()),
  ],
])(
  'serves requests, logs the outage at most once, and stops on SIGTERM when %s',
  async (_, receiver) => {
    const { url, lines } = await startService(await receiver())
    for (let round = 0; round < 6; round++) {
      const statuses = await Promise.all(Array.from({ length: 100 }, () => sendRequest(url)))
      expect(new Set(statuses)).toEqual(new Set([200]))
    }
    const from = performance.now()
    child!.kill('SIGTERM')
    const [code] = (await once(child!, 'exit')) as [number]
    expect(code).toBe(0)
    // One second for the last export, and the time to end on a busy machine. The default limit of OpenTelemetry is 30 s.
    expect(performance.now() - from).toBeLessThan(25_000)
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(600)
    expect(lines.filter(({ msg }) => msg.includes('OTLP')).length).toBeLessThanOrEqual(1)
  },
  120_000,
)
