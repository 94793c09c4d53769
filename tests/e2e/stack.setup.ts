import type { TestProject } from 'vitest/node'
import { freePort } from '../../dev/process/ports.ts'
import type { Stack } from '../../dev/stack.ts'
import { serviceNames, type ServiceName } from '../../dev/stack/services.ts'
import { Api } from '../support/api.ts'
import { seedRestaurants } from '../support/fixtures.ts'
import { startTestStack } from '../support/stack.ts'
import type { StackUnderTest } from './stack.ts'

/** The settings that differ from those of `npm start`. */
const settings: Partial<Record<ServiceName, Record<string, string>>> = {
  orders: { TRANSMIT_DEADLINE_MS: '1000' },
  // All tests use one address. The tests of the limit exhaust the attempts of an e-mail address.
  accounts: { TRIES_PER_ADDRESS: '1000000', TRIES_PER_APPLICATION: '1000000' },
  // All tests share their access keys. Tests of bad keys send another address, which the gateway trusts.
  gateway: { RATE_LIMIT_REQUESTS: '1000000', TRUSTED_PROXIES: '127.0.0.1' },
  // All tests use a few cards, and one test exceeds the limit of a user. The limit is higher than the 20 cards of an account.
  payments: { CARDS_PER_USER: '25' },
}

/** Without a listening test no receiver exists, which must have no effect. Only traces that a test requests are sampled. */
const telemetry = (port: number) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0',
  OTEL_METRIC_EXPORT_INTERVAL: '3000',
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
  const restaurants = await Promise.all(
    Object.values(seedRestaurants).map(async (apiKey) => ({
      apiKey,
      accessKey: await api.restaurantKey(apiKey),
    })),
  )
  const { accessKey } = one
  return { gateway: url, operatorKey, accessKey, otherAccessKey: other.accessKey, restaurants }
}

async function start(): Promise<{ stack: Stack; otlpPort: number }> {
  const otlpPort = await freePort()
  const services = serviceNames.map((name) => [name, { ...telemetry(otlpPort), ...settings[name] }] as const)
  // Delays of simulated people are short.
  const env = { ...Object.fromEntries(services), simulators: { STEP_MS: '300' } }
  return { stack: await startTestStack('e2e', { replicas: 2, env }), otlpPort }
}
