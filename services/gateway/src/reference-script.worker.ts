import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'

/** Only a route of the package's plugin returns its script, so the script is requested from a server that never listens. */
const app = Fastify()
await app.register(scalar, { configuration: { content: {} } })
const { statusCode, rawPayload } = await app.inject('/reference/js/scalar.js')
if (statusCode !== 200) throw new Error(`Scalar's plugin responded with status ${statusCode}`)
// eslint-disable-next-line unicorn/require-post-message-target-origin -- between threads there are no origins
parentPort?.postMessage(gzipSync(rawPayload))
