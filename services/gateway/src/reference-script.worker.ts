import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'

/** The package gives its script away through a route of its plugin only, so a server that never listens is asked for it. */
const app = Fastify()
await app.register(scalar, { configuration: { content: {} } })
const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js')
if (statusCode !== 200) throw new Error(`Scalar's plugin answered ${statusCode}`)
// eslint-disable-next-line unicorn/require-post-message-target-origin -- between threads there are no origins
parentPort?.postMessage(gzipSync(rawPayload))
