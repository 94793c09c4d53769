import { readinessOf } from './readiness.ts'
import { until } from '../process/wait.ts'
import type { Server, ServerContext, ServerKind, ServerSource } from './types.ts'

/** The variables with the URLs of servers. */
export const variables: Readonly<Record<ServerKind, string>> = {
  postgres: 'DATABASE_URL',
  rabbitmq: 'AMQP_URL',
  redis: 'REDIS_URL',
}

const examples: Readonly<Record<ServerKind, string>> = {
  postgres: 'postgres://user:password@host:5432/database',
  rabbitmq: 'amqp://user:password@host:5672',
  redis: 'redis://host:6379',
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
  // The value may contain a password, so the message does not.
  if (!URL.canParse(url)) throw new Error(`${variable} is not a URL, such as ${examples[kind]}`)
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
