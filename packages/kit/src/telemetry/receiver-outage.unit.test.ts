import { once } from 'node:events'
import { get } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { startMinimalService } from '#/telemetry/testing/start-minimal-service.ts'

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
    const { url, lines, child } = await startMinimalService(await receiver())
    for (let round = 0; round < 6; round++) {
      const statuses = await Promise.all(Array.from({ length: 100 }, () => sendRequest(url)))
      expect(new Set(statuses)).toEqual(new Set([200]))
    }
    const from = performance.now()
    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(0)
    // One second for the last export, and the time to end on a busy machine. The default limit of OpenTelemetry is 30 s.
    expect(performance.now() - from).toBeLessThan(25_000)
    expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(600)
    expect(lines.filter(({ msg }) => msg.includes('OTLP')).length).toBeLessThanOrEqual(1)
  },
  120_000,
)
