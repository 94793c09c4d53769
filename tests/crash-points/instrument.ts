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
import { nameOfCall, nameOfMessage, nameOfStatement } from './names.ts'

const { CRASH_DIRECTORY = '', CRASH_SERVICE = '' } = process.env
const require = createRequire(import.meta.url)

/** Whose request the running code is about, over all awaits; and which queue its message came from. */
const context = new AsyncLocalStorage<{ requestId: string; queue: string }>()
const counts = new Map<string, number>()
/** What is written into a socket has left the process after so long. */
const WRITTEN_MS = 5

/** The runner's orders are known by their request ids; everything else goes on unseen. */
function inContext<T>(requestId: unknown, queue: string, work: () => T): T {
  if (typeof requestId !== 'string' || !requestId.startsWith('crash-')) return context.exit(work)
  return context.run({ requestId, queue }, work)
}

/** Tells the event; does not return when it is the one to die at. */
function tell(what: string): void {
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

/** Whoever renames the file has taken it: no second process dies of the same point. */
function isArmed(requestId: string, event: string): boolean {
  const file = join(CRASH_DIRECTORY, 'armed')
  try {
    if (readFileSync(file, 'utf8') !== `${requestId} ${event}`) return false
    renameSync(file, join(CRASH_DIRECTORY, 'fired'))
    return true
  } catch {
    // Nothing is armed, which is so nearly always.
    return false
  }
}

const tellWhenWritten = (what: string) => setTimeout(() => tell(what), WRITTEN_MS)

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
  tell(`before commit ${name}`)
  const result = query(...args)
  if (!(result instanceof Promise)) return result
  return result.then((answer: unknown) => {
    tell(`after commit ${name}`)
    return answer
  })
})

// RabbitMQ -------------------------------------------------------------------------------------------------

type Message = {
  content: Buffer
  properties: { headers?: Record<string, unknown> }
  fields: { routingKey: string }
}
// Not among the exports of the package.
const { Channel, ConfirmChannel } = require(
  join(dirname(require.resolve('amqplib')), 'lib/channel_model.js'),
) as Record<'Channel' | 'ConfirmChannel', { prototype: object }>

let isPublishing = false

function publish(original: Method, args: unknown[]): unknown {
  // ConfirmChannel.publish calls Channel.publish.
  if (!context.getStore() || isPublishing) return original(...args)
  const [exchange, key, content, options, confirmed] = args as [
    string,
    string,
    Buffer,
    object,
    ((error: unknown) => void) | undefined,
  ]
  const to = key.startsWith('amq.rabbitmq.reply-to')
    ? `answer to ${context.getStore()?.queue}`
    : exchange || key
  const name = nameOfMessage(to, content)
  tell(`before publish ${name}`)
  const told = confirmed && context.getStore()
  const whenConfirmed = (error: unknown) => {
    if (told) context.run(told, () => tell(`after publish ${name}`))
    confirmed?.(error)
  }
  isPublishing = true
  try {
    return original(exchange, key, content, options, confirmed && whenConfirmed)
  } finally {
    isPublishing = false
    if (!confirmed) tellWhenWritten(`after publish ${name}`)
  }
}

wrap(Channel.prototype, 'publish', publish)
wrap(ConfirmChannel.prototype, 'publish', publish)

wrap(Channel.prototype, 'consume', (consume, [queue, take, options]) => {
  const taken = (message: Message | null) =>
    inContext(message?.properties.headers?.['x-request-id'], String(queue), () =>
      (take as (message: Message | null) => void)(message),
    )
  return consume(queue, taken, options)
})

for (const settle of ['ack', 'reject'] as const)
  wrap(Channel.prototype, settle, (original, args) => {
    const { fields, content } = args[0] as Message
    const name = `${settle} ${nameOfMessage(fields.routingKey, content)}`
    tell(`before ${name}`)
    original(...args)
    tellWhenWritten(`after ${name}`)
  })

// HTTP -----------------------------------------------------------------------------------------------------

const { Pool } = require('undici') as { Pool: { prototype: object } }

type Handler = Record<string, ((...args: unknown[]) => unknown) | undefined>
const HANDLED = ['onRequestStart', 'onRequestUpgrade', 'onResponseStart', 'onResponseData', 'onResponseEnd']

wrap(Pool.prototype, 'dispatch', (dispatch, [options, given]) => {
  const name = context.getStore() ? nameOfCall(options as { method: string; path: string }) : null
  if (name === null) return dispatch(options, given)
  const here = context.getStore()
  const handler = given as Handler
  const passed = Object.fromEntries(
    [...HANDLED, 'onResponseError']
      .filter((method) => typeof handler[method] === 'function')
      .map((method) => [method, (...args: unknown[]) => handler[method]?.(...args)]),
  )
  passed['onResponseEnd'] = (...args) => {
    if (here) context.run(here, () => tell(`after call ${name}`))
    return handler['onResponseEnd']?.(...args)
  }
  tell(`before call ${name}`)
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
