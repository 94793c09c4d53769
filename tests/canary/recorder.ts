import { once } from 'node:events'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { startOtlpServer } from '../support/otlp-server.ts'

const SERVICE_NAME = /"service\.name","value":\{"stringValue":"([^"]+)"/g

/** Records data that leaves the processes and is stored nowhere else. Each source has a file in `folder` with the exact bytes. */
export async function startRecorder(folder: string) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const exporters = new Set<string>()
  const otlp = await startOtlpServer((body) => {
    appendFileSync(join(folder, 'otlp.jsonl'), `${body}\n`)
    for (const [, name = ''] of body.matchAll(SERVICE_NAME)) exporters.add(name)
  })
  let redis: Socket | undefined
  let hasEnded = false
  const watchRedis = (url: string): void => {
    if (hasEnded) return
    redis = redisConnection(url)
    redis.on('data', (chunk) => appendFileSync(join(folder, 'redis-commands.txt'), chunk))
    redis.on('close', () => setTimeout(() => watchRedis(url), 50))
    redis.write('MONITOR\r\n')
  }
  return {
    folder,
    /** The URL of an OTLP receiver that accepts all requests. */
    otlp: otlp.url,
    /** The services that have sent telemetry. */
    exporters,
    /**
     * Records the commands that any client sends to Redis, also after Redis restarts, but not those of the 50 ms until the new
     * connection. Values in Redis expire, so a later search would miss them.
     */
    watchRedis,
    /** Closes the recorder. The test calls it when no process sends any more. */
    close: async (): Promise<void> => {
      hasEnded = true
      redis?.destroy()
      await otlp.close()
    },
  }
}

function redisConnection(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname).on('error', () => 'it is being killed; "close" follows')
}

/** Sends commands to Redis, and resolves when the last one has ended. */
export async function sendToRedis(url: string, ...commands: string[]): Promise<void> {
  const socket = redisConnection(url).resume()
  socket.write([...commands, 'QUIT', ''].join('\r\n'))
  await once(socket, 'close')
}
