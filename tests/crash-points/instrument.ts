/**
 * Node loads this file before the code of a service (`--import`). It records every commit, publish, call and acknowledgement that
 * an order causes in this process, and kills the process at the armed event. It patches the internals of libraries, so the code of
 * the services needs no hooks for the test.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { readFileSync, renameSync } from 'node:fs'
import { Server } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Bus } from '@platter/bus'
import { decode } from '../../packages/bus/src/message-format.ts'
import { appendEvent } from './events.ts'
import { nameOfCall, nameOfMessage, nameOfStatement } from './names.ts'

const { CRASH_DIRECTORY = '', CRASH_SERVICE = '' } = process.env
const require = createRequire(import.meta.url)

/** The id of the request that the running code serves, across all awaits. */
const context = new AsyncLocalStorage<string>()
/** After this time, data that was written to a socket has left the process. */
const WRITTEN_MS = 5

/** Records only orders of the test, recognised by their request ids. */
function inContext<T>(requestId: unknown, work: () => T): T {
  if (typeof requestId !== 'string' || !requestId.startsWith('crash-')) return context.exit(work)
  return context.run(requestId, work)
}

/** Records the event, and kills the process if the event is armed. */
function record(what: string): void {
  const requestId = context.getStore()
  if (requestId === undefined) return
  const event = appendEvent(CRASH_DIRECTORY, requestId, `${CRASH_SERVICE} ${what}`)
  if (isArmed(requestId, event)) process.kill(process.pid, 'SIGKILL')
}

/** The process that renames the file owns the crash, so no second process dies at the same point. */
function isArmed(requestId: string, event: string): boolean {
  const file = join(CRASH_DIRECTORY, 'armed')
  try {
    if (readFileSync(file, 'utf8') !== `${requestId} ${event}`) return false
    renameSync(file, join(CRASH_DIRECTORY, 'fired'))
    return true
  } catch {
    // Usually no event is armed.
    return false
  }
}

type Method = (this: unknown, ...args: unknown[]) => unknown

/** Replaces a method by `around`, which receives the bound original and the arguments. */
function wrap(prototype: object, name: string, around: (original: Method, args: unknown[]) => unknown): void {
  const methods = prototype as Record<string, Method>
  const original = methods[name]
  if (!original) throw new Error(`the library no longer has a method ${name}`)
  methods[name] = function wrapped(this: unknown, ...args: unknown[]) {
    return around(original.bind(this), args)
  }
}

// PostgreSQL -----------------------------------------------------------------------------------------------

const { Client } = require('pg') as { Client: { prototype: object } }

wrap(Client.prototype, 'query', (query, args) => {
  const [given] = args as [string | { text: string }]
  const name = nameOfStatement(typeof given === 'string' ? given : given.text)
  if (name === null) return query(...args)
  record(`before commit ${name}`)
  const result = query(...args)
  if (!(result instanceof Promise)) return result
  return result.then((response: unknown) => {
    record(`after commit ${name}`)
    return response
  })
})

// RabbitMQ -------------------------------------------------------------------------------------------------

// The package does not export this class.
const { Channel } = require(join(dirname(require.resolve('amqplib')), 'lib/channel_model.js')) as {
  Channel: { prototype: object }
}

type Message = Parameters<typeof decode>[0]

/** The request of each order, by its apiKey. */
const requests = new Map<string, string>()

/** An event of the processor has its own request id. Its message belongs to the order that it names. */
function requestOf(requestId: string | undefined, data: unknown): string | undefined {
  const { orderApiKey } = (data ?? {}) as { orderApiKey?: string }
  if (orderApiKey === undefined) return requestId
  if (requestId?.startsWith('evt_')) return requests.get(orderApiKey)
  if (requestId) requests.set(orderApiKey, requestId)
  return requestId
}

/** The question of an order, by correlation id. A reply carries only that id. */
const questions = new Map<string, { requestId: string; name: string }>()

/** Writes a message to the socket. Records it before and after, for each order that shares the message. */
function write(what: 'publish' | 'ack', message: Message, queue: string, original: () => unknown): unknown {
  const items = decode(message).map(({ requestId, id = '', data }) => {
    const question = questions.get(id)
    const name = nameOfMessage(question ? `reply to ${question.name}` : queue, data)
    // An event carries no request id. It belongs to the order in whose context the process publishes it.
    return { name, about: question?.requestId || requestOf(requestId, data) || context.getStore() }
  })
  const recordAll = (when: 'before' | 'after') => {
    for (const { name, about } of items) inContext(about, () => record(`${when} ${what} ${name}`))
  }
  recordAll('before')
  const result = original()
  setTimeout(() => recordAll('after'), WRITTEN_MS)
  return result
}

// A channel with publisher confirms calls this method as well.
wrap(Channel.prototype, 'publish', (original, args) => {
  const [exchange, key, content, properties] = args as [string, string, Buffer, object]
  return write('publish', { content, properties } as Message, exchange || key, () => original(...args))
})

wrap(Channel.prototype, 'ack', (original, args) => {
  const message = args[0] as Message
  return write('ack', message, message.fields.routingKey, () => original(...args))
})

type Handler = (data: unknown, received: { requestId: string; id?: string }) => unknown

for (const method of ['onCommand', 'onQuestion'] as const)
  wrap(Bus.prototype, method, (original, [message, handler, ...options]) => {
    const { name } = message as { name: string }
    const inOrder: Handler = (data, received) => {
      const { requestId, id } = received
      if (method === 'onQuestion' && id !== undefined) questions.set(id, { requestId, name })
      return inContext(requestOf(requestId, data), () => (handler as Handler)(data, received))
    }
    return original(message, inOrder, ...options)
  })

// HTTP -----------------------------------------------------------------------------------------------------

type Exchange = { request: { method: string; path: string } }

/** Records the end of a call in the context of its begin. */
const endings = new WeakMap<object, () => void>()

subscribe('undici:request:create', (message) => {
  const { request } = message as Exchange
  const name = context.getStore() ? nameOfCall(request) : null
  if (name === null) return
  record(`before call ${name}`)
  endings.set(
    request,
    AsyncLocalStorage.bind(() => record(`after call ${name}`)),
  )
})

subscribe('undici:request:trailers', (message) => endings.get((message as Exchange).request)?.())

wrap(Server.prototype, 'emit', (emit, args) => {
  const [event, request] = args as [string, { headers?: Record<string, unknown> } | undefined]
  if (event !== 'request') return emit(...args)
  return inContext(request?.headers?.['x-request-id'], () => emit(...args))
})
