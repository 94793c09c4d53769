import type { ServerKind } from './types.ts'

/** The address and password of a server in a container. */
export type Place = {
  readonly host: string
  readonly port: number
  readonly password: string
}

/** The port of each server inside its container. */
export const innerPorts: Readonly<Record<ServerKind, number>> = {
  postgres: 5432,
  rabbitmq: 5672,
  redis: 6379,
}

/** The URL of each server, with the users and names of docker-compose.yml. */
export const urlOf: Readonly<Record<ServerKind, (place: Place) => string>> = {
  postgres: ({ host, port, password }) => `postgres://postgres:${password}@${host}:${port}/platter`,
  rabbitmq: ({ host, port, password }) => `amqp://platter:${password}@${host}:${port}`,
  redis: ({ host, port, password }) => `redis://:${password}@${host}:${port}`,
}

/** Returns the variables with the passwords of the servers of docker-compose.yml. */
export const passwordVariables = (password: string): Record<string, string> => ({
  POSTGRES_PASSWORD: password,
  RABBITMQ_PASSWORD: password,
  REDIS_PASSWORD: password,
})
