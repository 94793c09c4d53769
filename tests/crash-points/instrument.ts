/**
 * Loaded before a service's own code (`--import`): tells every commit, publish, call and ack that an order
 * causes in this process, and kills the process at the one that is armed. Knows the libraries' insides, so
 * that no line of ours has to know of it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { appendFileSync, readFileSync, renameSync } from 'node:fs'
import { Server } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Bus } from '@platter/bus'
import { decode } from '../../packages/bus/src/message-format.ts'
import { nameOfCall, nameOfMessage, nameOfStatement } from './names.ts'

const { CRASH_DIRECTORY = '', CRASH_SERVICE = '' } = process.env
const require = createRequire(import.meta.url)

/** Whose request the running code is about, over all awaits; and which queue its message came from. */
const context = new AsyncLocalStorage<{ requestId: string; queue: string }>()
const counts = new Map<string, number>()
/** What is written into a socket has left the process after so long. */
const WRITTEN_MS = 5

/** Records only the test's own orders, by their request ids. */
function inContext<T>(requestId: unknown, queue: string, work: () => T): T {
  if (typeof requestId !== 'string' || !requestId.startsWith('crash-')) return context.exit(work)
  return context.run({ requestId, queue }, work)
}

/** Records the event, and kills the process when it is the armed one. */
function record(what: string): void {
  const here = context.getStore()
  if (!here) return
  const key = `${here.requestId} ${what}`
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  const event = `${CRASH_SERVICE} ${what}${count === 1 ? '' : ` #${count}`}`
  const { requestId } = here
  appendFileSync(join(CRASH_DIRECTORY, 'events.jsonl'), `${JSON.stringify({ requestId, event })}\n`)
  if (isArmed(requestId, event)) process.kill(process.pid, 'SIGKILL')
}

/** The process that renames the file owns the crash: no second process dies at the same point. */
function isArmed(requestId: string, event: string): boolean {
  const file = join(CRASH_DIRECTORY, 'armed')
  try {
    if (readFileSync(file, 'utf8') !== `${requestId} ${event}`) return false
    renameSync(file, join(CRASH_DIRECTORY, `fired-${process.pid}`))
    return true
  } catch {
    // Nothing is armed, which is so nearly always.
    return false
  }
}

const tellWhenWritten = (what: string) => setTimeout(() => record(what), WRITTEN_MS)

type Method = (this: unknown, ...args: unknown[]) => unknown

/** Puts `around` in the place of a method; it gets the original, bound, and the arguments. */
function wrap(
  prototype: object,
  name: string,
  around: (original: Method, args: unknown[], self: unknown) => unknown,
): void {
  const methods = prototype as Record<string, Method>
  const original = methods[name]
  if (!original) throw new Error(`the library has no ${name} any more`)
  methods[name] = function wrapped(this: unknown, ...args: unknown[]) {
    return around(original.bind(this), args, this)
  }
}

// PostgreSQL -----------------------------------------------------------------------------------------------

/** Through the query builder and the pool down to the store's function. */
Error.stackTraceLimit = 40

const { Client } = require('pg') as { Client: { prototype: object } }

wrap(Client.prototype, 'query', (query, args) => {
  const name = context.getStore() ? nameOfStatement(args, new Error('where').stack ?? '') : null
  if (name === null) return query(...args)
  record(`before commit ${name}`)
  const result = query(...args)
  if (!(result instanceof Promise)) return result
  return result.then((answer: unknown) => {
    record(`after commit ${name}`)
    return answer
  })
})

// RabbitMQ -------------------------------------------------------------------------------------------------

// Not among the exports of the package.
const { Channel, ConfirmChannel } = require(
  join(dirname(require.resolve('amqplib')), 'lib/channel_model.js'),
) as Record<'Channel' | 'ConfirmChannel', { prototype: object }>

type Message = Parameters<typeof decode>[0]

/** The request of each order, by its apiKey. */
const requests = new Map<string, string>()

/** An event of the processor has a request id of its own: its message is about the order that it names. */
function requestOf(requestId: string | undefined, data: unknown): string | undefined {
  const { orderApiKey } = (data ?? {}) as { orderApiKey?: string }
  if (orderApiKey === undefined) return requestId
  if (requestId?.startsWith('evt_')) return requests.get(orderApiKey)
  if (requestId) requests.set(orderApiKey, requestId)
  return requestId
}

/** Which question of an order a correlation id belongs to: a reply carries nothing else. */
const questions = new Map<string, { requestId: string; name: string }>()

/** A message is published or acknowledged for each of the orders that share it. */
function forItems(message: Message, queue: string, work: (name: string) => void): void {
  for (const { requestId, id = '', data } of decode(message)) {
    const question = questions.get(id)
    const name = nameOfMessage(question ? `answer to ${question.name}` : queue, data)
    // An event carries no request id: it is about the order in whose context it is published.
    const about = question?.requestId || requestOf(requestId, data) || context.getStore()?.requestId
    inContext(about, queue, () => work(name))
  }
}

let isPublishing = false

function publish(original: Method, args: unknown[]): unknown {
  // ConfirmChannel.publish calls Channel.publish.
  if (isPublishing) return original(...args)
  const [exchange, key, content, properties] = args as [string, string, Buffer, object]
  const message = { content, properties } as Message
  forItems(message, exchange || key, (name) => record(`before publish ${name}`))
  isPublishing = true
  try {
    return original(...args)
  } finally {
    isPublishing = false
    forItems(message, exchange || key, (name) => tellWhenWritten(`after publish ${name}`))
  }
}

wrap(Channel.prototype, 'publish', publish)
wrap(ConfirmChannel.prototype, 'publish', publish)

wrap(Channel.prototype, 'ack', (original, args) => {
  const message = args[0] as Message
  const queue = message.fields.routingKey
  forItems(message, queue, (name) => record(`before ack ${name}`))
  original(...args)
  forItems(message, queue, (name) => tellWhenWritten(`after ack ${name}`))
})

type Handler = (data: unknown, received: { requestId: string; id?: string }) => unknown

for (const method of ['onCommand', 'onQuestion'] as const)
  wrap(Bus.prototype, method, (original, [message, handler, ...options]) => {
    const { name } = message as { name: string }
    const inOrder: Handler = (data, received) => {
      const { requestId, id } = received
      if (method === 'onQuestion' && id !== undefined) questions.set(id, { requestId, name })
      return inContext(requestOf(requestId, data), name, () => (handler as Handler)(data, received))
    }
    return original(message, inOrder, ...options)
  })

// HTTP -----------------------------------------------------------------------------------------------------

const { Pool } = require('undici') as { Pool: { prototype: object } }

type Callbacks = Record<string, ((...args: unknown[]) => unknown) | undefined>
const HANDLED = ['onRequestStart', 'onRequestUpgrade', 'onResponseStart', 'onResponseData', 'onResponseEnd']

wrap(Pool.prototype, 'dispatch', (dispatch, [options, given]) => {
  const name = context.getStore() ? nameOfCall(options as { method: string; path: string }) : null
  if (name === null) return dispatch(options, given)
  const here = context.getStore()
  const handler = given as Callbacks
  const passed = Object.fromEntries(
    [...HANDLED, 'onResponseError']
      .filter((method) => typeof handler[method] === 'function')
      .map((method) => [method, (...args: unknown[]) => handler[method]?.(...args)]),
  )
  passed['onResponseEnd'] = (...args) => {
    if (here) context.run(here, () => record(`after call ${name}`))
    return handler['onResponseEnd']?.(...args)
  }
  record(`before call ${name}`)
  return dispatch(options, passed)
})

wrap(Server.prototype, 'emit', (emit, args) => {
  const [event, request] = args as [string, { headers?: Record<string, unknown> } | undefined]
  if (event !== 'request') return emit(...args)
  return inContext(request?.headers?.['x-request-id'], '', () => emit(...args))
})

// A life in waiting ----------------------------------------------------------------------------------------

// Everything is loaded before it is needed, so that a process that was killed is replaced at once.
await import(`../../services/${CRASH_SERVICE}/src/wire.ts`)
process.on('disconnect', () => process.exit(1))
await new Promise((resolve) => {
  process.once('message', resolve)
  process.send?.('loaded')
})
process.channel?.unref()
