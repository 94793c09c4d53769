import { SpanKind, type Attributes, type SpanDescription } from '@platter/kit'

const KINDS = { send: SpanKind.PRODUCER, process: SpanKind.CONSUMER } as const

/** Returns the span of a message, with the attributes of OpenTelemetry's semantic conventions for messaging, and the saga step. */
export const messageSpan = (type: keyof typeof KINDS, queue: string, data: unknown): SpanDescription => ({
  name: `${type} ${queue}`,
  kind: KINDS[type],
  attributes: {
    'messaging.system': 'rabbitmq',
    'messaging.operation.name': type,
    'messaging.operation.type': type,
    'messaging.destination.name': queue,
    ...stepOf(data),
  },
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
