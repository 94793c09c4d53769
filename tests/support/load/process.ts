import { serve } from '../worker.ts'
import { Connections } from './connections.ts'
import { UNIQUE, type Job, type Outcomes, type Source } from './generator.ts'
import { runLoad, type Outcome } from './loop.ts'

/* The process of a load generator. */

serve<Job, Outcomes>('', async ({ origins, connections: count, sources }) => {
  const connections = new Connections(origins, sources.length === 0 ? 0 : count)
  try {
    // A closed loop has one connection per client, and includes the opening of connections in its measurement.
    if (sources.some(({ load }) => 'perSecond' in load)) await connections.probe()
    const run = async (source: Source): Promise<[name: string, Outcome]> => {
      const templates = source.bytes.map((bytes) => bytes.split(UNIQUE))
      const next = (n: number) => {
        const parts = templates[n % templates.length]!
        return parts.length === 1 ? parts[0]! : parts.join(crypto.randomUUID())
      }
      const send = (n: number) => connections.send(next(n), source.expects)
      return [source.name, await runLoad(source.load, send)]
    }
    return Object.fromEntries(await Promise.all(sources.map(run)))
  } finally {
    connections.close()
  }
})
