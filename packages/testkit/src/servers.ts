import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    servers: {
      postgres: string
      rabbitmq: string
      /** RabbitMQ's URL for each service's own user; null where there are none. */
      users: Readonly<Record<string, string>> | null
      redis: string
    }
  }
}

/** The URLs of the real servers that the tests run on; PostgreSQL's is a superuser's, RabbitMQ's an administrator's. */
export const servers = () => inject('servers')
