import { Pool } from 'undici'
import { runLoad, type Load, type Outcome } from '../../support/load/loop.ts'
import { serve } from '../../support/worker.ts'

/* HTTP exchanges of 500 bytes in each direction, in sequence over persistent connections. */

/** The number of exchanges with each origin in the arguments. */
export type ExchangesJob = { load: Load; exchanges: readonly number[] }

const body = JSON.stringify({ filler: 'x'.repeat(487) })
const pools = process.argv.slice(2).map((origin) => new Pool(origin, { connections: 64, pipelining: 1 }))

async function exchange(pool: Pool): Promise<void> {
  const response = await pool.request({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/json' },
    body,
  })
  if (response.statusCode !== 200) throw new Error(`an exchange ended with ${response.statusCode}`)
  await response.body.arrayBuffer()
}

serve<ExchangesJob, Outcome>('', ({ load, exchanges }) =>
  runLoad(load, async () => {
    for (const [at, pool] of pools.entries())
      for (let left = exchanges[at] ?? 0; left > 0; left--) await exchange(pool)
    return { status: 200 }
  }),
)
