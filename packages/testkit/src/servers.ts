import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    servers: {
      postgres: string
      rabbitmq: string
      /** RabbitMQ's URL for the user of each service; null without such users. */
      users: Readonly<Record<string, string>> | null
      redis: string
    }
  }
}

/** Returns the URLs of the real servers of the stack tests, for a superuser of PostgreSQL and an administrator of RabbitMQ. */
export const servers = () => inject('servers')

/** Settings of a test's own connection to Redis. A machine that stands still for a second must not fail it. */
export const PATIENT_REDIS = { commandTimeout: undefined, socketTimeout: undefined }
