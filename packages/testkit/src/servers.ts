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

/** The URLs of the real servers of the stack tests: of a superuser of PostgreSQL, and of an administrator of RabbitMQ. */
export const servers = () => inject('servers')
