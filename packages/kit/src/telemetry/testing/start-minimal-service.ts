import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const SERVICE = fileURLToPath(new URL('./minimal-service.ts', import.meta.url))

type Line = { msg: string; address?: string; reason?: string }
type Started = { url: string; lines: Line[]; child: ChildProcess }

/** Starts a service that exports all telemetry to the port. `lines` receives its log lines. The end of the test ends it. */
export async function startMinimalService(otlpPort: number): Promise<Started> {
  const child = spawn(process.execPath, [SERVICE], {
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
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: Line[] = []
  const started = Promise.withResolvers<string>()
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line
    lines.push(line)
    if (line.msg === 'started') started.resolve(line.address ?? '')
  })
  return { url: await started.promise, lines, child }
}
