import { readinessOf } from './readiness.ts'
import { until } from '../process/wait.ts'
import type { Server, ServerContext, ServerKind, ServerSource } from './types.ts'

/** The variables with the URLs of servers. */
export const variables: Readonly<Record<ServerKind, string>> = {
  postgres: 'DATABASE_URL',
  rabbitmq: 'AMQP_URL',
  redis: 'REDIS_URL',
}

/** The server may still be starting in another container. */
const withinMs = 30_000

/** Servers whose URLs are in the environment. */
export const given: ServerSource = async (wanted, context) => {
  const servers = wanted.map((kind) => fromEnvironment(kind, context))
  return (await Promise.all(servers)).filter((server) => server !== null)
}

async function fromEnvironment(kind: ServerKind, context: ServerContext): Promise<Server | null> {
  const variable = variables[kind]
  const url = process.env[variable]
  if (!url) return null
  await context.reporter.step(`${kind} of ${variable}`, () =>
    until(() => readinessOf[kind](url), {
      what: `Waiting for the ${kind} that ${variable} names at ${new URL(url).host}`,
      withinMs,
      everyMs: 250,
      signal: context.signal,
    }),
  )
  return { kind, url, origin: 'given', data: null, pids: () => [], stop: () => Promise.resolve() }
}
