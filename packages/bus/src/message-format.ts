import type { Message, Options } from 'amqplib'
import { z } from 'zod'

/** One command, question, reply or event, before it is encoded. */
export type Outgoing = {
  /** The data as JSON. */
  json: string
  requestId?: string | undefined
  traceparent?: string | undefined
  /** Correlates a reply with its question. */
  id?: string | undefined
  /** The remaining reply timeout of a question, in milliseconds. */
  timeoutMs?: number | undefined
}

/** An item that a consumer has received. */
export type Incoming = Omit<Outgoing, 'json' | 'requestId'> & {
  requestId: string
  /** Not validated. Undefined if the content is not JSON. */
  data: unknown
  /** Returns the bytes of a message with only this item. */
  content: () => Buffer
}

/** The AMQP property `type` of a message with several items. */
const BATCH = 'batch'

const Envelope = z.object({
  data: z.unknown(),
  requestId: z.string().default(''),
  traceparent: z.string().optional(),
  id: z.string().optional(),
  timeoutMs: z.number().optional(),
})

/**
 * Encodes items into one message. One item becomes a JSON body, with its other fields in properties and headers. Several items
 * become a JSON array of `{ data, requestId, traceparent, id, timeoutMs }`.
 */
export function encode(items: readonly Outgoing[]): { content: Buffer; properties: Options.Publish } {
  const [first] = items
  if (items.length === 1 && first) return encodeOne(first)
  const timeouts = items.map(({ timeoutMs }) => timeoutMs ?? 0)
  const content = Buffer.from(`[${items.map(enveloped).join(',')}]`)
  return {
    content,
    properties: { type: BATCH, contentType: 'application/json', ...expiring(Math.max(...timeouts)) },
  }
}

function encodeOne({ json, requestId, traceparent, id, timeoutMs = 0 }: Outgoing) {
  const headers = {
    ...(requestId !== undefined && { 'x-request-id': requestId }),
    ...(traceparent !== undefined && { traceparent }),
  }
  return {
    content: Buffer.from(json),
    properties: {
      contentType: 'application/json',
      headers,
      ...(id !== undefined && { correlationId: id }),
      ...expiring(timeoutMs),
    },
  }
}

const expiring = (ms: number) => (ms > 0 ? { expiration: Math.ceil(ms) } : {})

function enveloped({ json, ...about }: Outgoing): string {
  const rest = JSON.stringify(about).slice(1, -1)
  return rest === '' ? `{"data":${json}}` : `{${rest},"data":${json}}`
}

/** Returns the items of a message. Never throws: the schema of the data later rejects an item that cannot be parsed. */
export function decode({ content, properties }: Message): Incoming[] {
  const parsed = parse(content)
  if (properties.type === BATCH && Array.isArray(parsed)) return parsed.map(decodeItem)
  const { headers, correlationId, expiration } = properties as Plain
  const { 'x-request-id': requestId, traceparent } = headers ?? {}
  return [
    {
      data: parsed,
      content: () => content,
      requestId: typeof requestId === 'string' ? requestId : '',
      ...(typeof traceparent === 'string' && { traceparent }),
      ...(typeof correlationId === 'string' && { id: correlationId }),
      ...(expiration !== undefined && { timeoutMs: Number(expiration) }),
    },
  ]
}

type Plain = { headers?: Record<string, unknown>; correlationId?: unknown; expiration?: unknown }

function decodeItem(item: unknown): Incoming {
  const { data: read } = Envelope.safeParse(item)
  const { data, ...rest } = read?.data === undefined ? { data: item, requestId: '' } : read
  return { ...rest, data, content: () => Buffer.from(JSON.stringify(data)) }
}

function parse(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString()) as unknown
  } catch {
    // Every message schema rejects undefined.
    return undefined
  }
}
