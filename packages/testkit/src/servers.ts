import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    servers: { postgres: string; rabbitmq: string; redis: string }
  }
}

/** The URLs of the real servers that the tests run on; PostgreSQL's is a superuser's. */
export const servers = () => inject('servers')
