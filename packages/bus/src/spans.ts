import { SpanKind, type Attributes, type SpanDescription } from '@platter/kit'

/* Span attributes of messages (OpenTelemetry's semantic conventions for messaging): the queue, the order and the saga step. */

const messageOf = (queue: string, type: 'send' | 'process', data: unknown): Attributes => ({
  'messaging.system': 'rabbitmq',
  'messaging.operation.name': type,
  'messaging.operation.type': type,
  'messaging.destination.name': queue,
  ...stepOf(data),
})

export const sending = (queue: string, data: unknown): SpanDescription => ({
  name: `send ${queue}`,
  kind: SpanKind.PRODUCER,
  attributes: messageOf(queue, 'send', data),
})

export const processing = (queue: string, data: unknown) => ({
  name: `process ${queue}`,
  kind: SpanKind.CONSUMER,
  attributes: () => messageOf(queue, 'process', data),
})

/** Returns the saga reference of a command. No other data of a message becomes an attribute. */
function stepOf(data: unknown): Attributes {
  const { orderApiKey, step, undo, version, attempt } = (data ?? {}) as Record<string, unknown>
  return {
    ...(typeof orderApiKey === 'string' && { 'platter.order.api_key': orderApiKey }),
    ...(typeof step === 'string' && { 'platter.saga.step': step }),
    ...(undo === true && { 'platter.saga.compensating': true }),
    ...(typeof version === 'number' && { 'platter.saga.version': version }),
    ...(typeof attempt === 'number' && { 'platter.saga.attempt': attempt }),
  }
}
