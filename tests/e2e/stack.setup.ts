import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { freePort } from '../../dev/process/ports.ts'
import { plainReporter } from '../../dev/progress.ts'
import { startStack, type Stack } from '../../dev/stack.ts'
import { Api } from '../support/api.ts'
import { cast } from '../support/cast.ts'
import type { StackUnderTest } from './stack.ts'

/** Delays of simulated people are short. All other settings are those of `npm start`. */
const simulators = { STEP_MS: '300' }
const orders = { TRANSMIT_DEADLINE_MS: '1000' }

/** All tests use one address. The tests of the limit exhaust the attempts of an e-mail address. */
const accounts = { TRIES_PER_ADDRESS: '1000000', TRIES_PER_APPLICATION: '1000000' }

/** All tests share their access keys. Tests of bad keys send another address, which the gateway trusts. */
const gateway = { RATE_LIMIT_REQUESTS: '1000000', TRUSTED_PROXIES: '127.0.0.1' }

/** All tests use a few cards, and one test exceeds the limit of a user. The limit is higher than the 20 cards of an account. */
const payments = { CARDS_PER_USER: '25' }

/** Without a listening test no receiver exists, which must have no effect. Only traces that a test requests are sampled. */
const telemetry = (port: number) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0',
  OTEL_METRIC_EXPORT_INTERVAL: '3000',
  OTEL_BSP_SCHEDULE_DELAY: '500',
  OTEL_BLRP_SCHEDULE_DELAY: '500',
})

/** vitest sets up every project in one process, so projects that use the gateway share one stack. */
type Shared = { started: Promise<{ stack: Stack; otlpPort: number }>; users: number }
const shared = globalThis as typeof globalThis & { stackUnderTest?: Shared }

const { E2E_URL, E2E_OPERATOR_KEY = '' } = process.env

/**
 * Starts one new stack for all end-to-end tests: real servers, every service twice, the development seed. With E2E_URL, it uses
 * that platform.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (E2E_URL !== undefined) {
    project.provide('stack', await otherPlatform(E2E_URL.replace(/\/$/, ''), E2E_OPERATOR_KEY))
    project.provide('ownStack', null)
    return () => Promise.resolve()
  }
  const mine = (shared.stackUnderTest ??= { started: start(), users: 0 })
  mine.users += 1
  const { stack, otlpPort } = await mine.started
  project.provide('stack', stack.file)
  project.provide('ownStack', stack.file)
  project.provide('otlpPort', otlpPort)
  return async () => {
    mine.users -= 1
    if (mine.users === 0) await stack.stop()
  }
}

/** Creates two client applications, and a key for each restaurant of the seed, on a running platform. */
async function otherPlatform(url: string, operatorKey: string): Promise<StackUnderTest> {
  const api = new Api(() => ({ gateway: url, operatorKey, accessKey: '' }))
  const [one, other] = [await api.newApplication('e2e'), await api.newApplication('e2e, another')]
  const restaurants = Object.values(cast).map(async (apiKey) => ({
    apiKey,
    accessKey: await api.restaurantKey(apiKey),
  }))
  const { accessKey } = one
  const all = { gateway: url, operatorKey, accessKey, otherAccessKey: other.accessKey }
  return { ...all, restaurants: await Promise.all(restaurants) }
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
