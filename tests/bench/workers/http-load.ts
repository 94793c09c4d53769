import { Pool } from 'undici'
import { requestOf, type Asked, type Context, type OperationName } from '../operations.ts'
import { runLoad, type Load, type Outcome } from './loop.ts'
import { serve } from './worker.ts'

/** Asks `origins` in turns. */
export type HttpJob = {
  origins: readonly string[]
  load: Load
  ask: { operation: OperationName; context: Context } | { get: Asked }
}

/** Bodies are a client's own; what it looks like is this process's and the count of its requests. */
let asked = 0

serve<HttpJob, Outcome>('', async ({ origins, load, ask }) => {
  // An open loop needs as many as are in flight at its worst moment; undici opens them as they are needed.
  const connections = load.perSecond === undefined ? Math.ceil(load.clients / origins.length) : 256
  const pools = origins.map(
    (origin) => new Pool(origin, { connections, pipelining: 1, headersTimeout: 30_000 }),
  )
  const make = 'get' in ask ? () => ask.get : () => requestOf(ask.operation, ask.context, asked++)
  try {
    return await runLoad(load, (n) => send(pools[n % pools.length]!, make()))
  } finally {
    await Promise.all(pools.map((pool) => pool.close()))
  }
})

/** Reads the whole answer and throws it away, unless it is another one than was expected. */
function send(pool: Pool, { method, path, headers, body, expects }: Asked): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let status = 0
  const wrong: Buffer[] = []
  pool.dispatch(
    { method, path, headers, body: body ?? null },
    {
      // By this one undici knows its new kind of handler.
      onRequestStart: () => undefined,
      onResponseStart: (_controller, statusCode) => {
        status = statusCode
      },
      onResponseData: (_controller, chunk) => {
        if (status !== expects) wrong.push(chunk)
      },
      onResponseEnd: () => {
        if (status === expects) resolve()
        else
          reject(new Error(`${method} ${path}: ${status} ${Buffer.concat(wrong).toString().slice(0, 500)}`))
      },
      onResponseError: (_controller, error) => reject(error),
    },
  )
  return promise
}
