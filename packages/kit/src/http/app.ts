import type { FastifyInstance } from 'fastify'

/** The HTTP server of a process. */
export type App = FastifyInstance
