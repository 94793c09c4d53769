import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { freePort } from '../../dev/process/ports.ts'
import { plainReporter } from '../../dev/progress.ts'
import { startStack, type Stack } from '../../dev/stack.ts'

/** The times that a person would wait for are short here; everything else is as `npm start` has it. */
const simulators = { STEP_MS: '300' }
const orders = { TRANSMIT_DEADLINE_MS: '1000' }

/** All tests come from one address. Those of the limit use up an e-mail's tries. */
const accounts = { TRIES_PER_ADDRESS: '1000000', TRIES_PER_APPLICATION: '1000000' }

/** All tests share their access keys. Those of bad ones say that they come from elsewhere, and are believed. */
const gateway = { RATE_LIMIT_REQUESTS: '1000000', TRUSTED_PROXIES: '127.0.0.1' }

/** All tests use the same few cards, and one the limit of a user: more than the 20 that an account may have. */
const payments = { CARDS_PER_USER: '25' }

/** Nobody is there while no test listens, which must not matter; and only what a test says is traced. */
const telemetry = (port: number) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0',
  OTEL_METRIC_EXPORT_INTERVAL: '3000',
  OTEL_BSP_SCHEDULE_DELAY: '500',
  OTEL_BLRP_SCHEDULE_DELAY: '500',
})

/** vitest sets every project up for itself, in one process: those that ask the gateway share one stack. */
type Shared = { started: Promise<{ stack: Stack; otlpPort: number }>; users: number }
const shared = globalThis as typeof globalThis & { stackUnderTest?: Shared }

/** One fresh stack for all end-to-end tests: real servers, every service twice, the development seed. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mine = (shared.stackUnderTest ??= { started: start(), users: 0 })
  mine.users += 1
  const { stack, otlpPort } = await mine.started
  project.provide('stack', stack.file)
  project.provide('otlpPort', otlpPort)
  return async () => {
    mine.users -= 1
    if (mine.users === 0) await stack.stop()
  }
}

async function start(): Promise<{ stack: Stack; otlpPort: number }> {
  const otlpPort = await freePort()
  const measured = telemetry(otlpPort)
  const stack = await startStack({
    runDirectory: fileURLToPath(new URL('../../.run/e2e', import.meta.url)),
    reporter: plainReporter((line) => process.stderr.write(`${line}\n`)),
    replicas: 2,
    fresh: true,
    env: {
      orders: { ...measured, ...orders },
      accounts: { ...measured, ...accounts },
      gateway: { ...measured, ...gateway },
      catalog: measured,
      payments: { ...measured, ...payments },
      simulators,
    },
  })
  return { stack, otlpPort }
}
