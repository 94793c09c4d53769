/**
 * Node loads this file before the code of a service (`--import`). It drops a share of the messages that the service publishes, before
 * they reach RabbitMQ. A channel with publisher confirms keeps all of its messages, because its client waits for their confirms.
 */
import { appendFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { randomOf } from '../support/random.ts'

const { DROP_SHARE, DROP_SEED, DROP_LOG = '' } = process.env
const random = randomOf(Number(DROP_SEED))
const require = createRequire(import.meta.url)

type Publish = (this: object, ...args: unknown[]) => boolean

// The package does not export these classes.
const { Channel, ConfirmChannel } = require(
  join(dirname(require.resolve('amqplib')), 'lib/channel_model.js'),
) as { Channel: { prototype: { publish: Publish } }; ConfirmChannel: new () => object }

const { publish } = Channel.prototype

Channel.prototype.publish = function publishSome(...args) {
  if (this instanceof ConfirmChannel) return publish.apply(this, args)
  const isDropped = random.next() < Number(DROP_SHARE)
  appendFileSync(DROP_LOG, isDropped ? 'dropped\n' : 'published\n')
  return isDropped || publish.apply(this, args)
}
