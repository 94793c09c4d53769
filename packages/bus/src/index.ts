export { Bus, type DeadLetter, type Received } from '#/bus.ts'
export type { Context } from '#/publisher.ts'
export { deadQueueOf, queueOf, type QueueType } from '#/topology.ts'
export { NoReply, NotPublished } from '#/unavailable.ts'
