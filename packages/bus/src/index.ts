export { Bus, type DeadLetter } from '#/bus.ts'
export type { Context } from '#/publisher.ts'
export type { Connect } from '#/reconnecting-connection.ts'
export { deadQueueOf, queueOf, type QueueType } from '#/topology.ts'
