import { request } from 'node:https'
import { DOMAIN } from '../installation.ts'
import { check, sendOrder, type Situation, type World } from '../world.ts'

const FIRST_EVENT_S = 1

/** Opens the event stream of an order. Resolves with the first event and its seconds, while the stream is still open. */
function firstEvent({ installation, keys }: World, order: string): Promise<{ text: string; afterS: number }> {
  const from = performance.now()
  return new Promise((resolve, reject) => {
    const stream = request(
      {
        host: '127.0.0.1',
        port: installation.port,
        servername: DOMAIN,
        path: `/publicapi/v1/order/${order}/statuses`,
        agent: false,
        timeout: 12_000,
        ...(installation.authority !== undefined && { ca: installation.authority }),
        headers: { host: DOMAIN, accept: 'text/event-stream', 'x-access-token': keys.application },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString()
          if (!/^data: .*\n\n/m.test(text)) return
          resolve({ text, afterS: (performance.now() - from) / 1000 })
          stream.destroy()
        })
        response.on('end', () => reject(new Error(`the stream ended: ${response.statusCode} ${text}`)))
      },
    )
    stream.on('timeout', () => stream.destroy(new Error('no event in 12 s')))
    stream.on('error', reject)
    stream.end()
  })
}

export const TRANSPORT: readonly Situation[] = [
  {
    title: `an event stream is not buffered: its first event arrives within ${FIRST_EVENT_S} s`,
    async run(world) {
      const { status, body } = await sendOrder(world, 'cash')
      check(status === 200, `cash: ${status}`)
      const { text, afterS } = await firstEvent(world, String(body['apiKey']))
      check(text.includes('event: status'), text)
      check(afterS <= FIRST_EVENT_S, `the first event arrived after ${afterS.toFixed(2)} s`)
      return `first event after ${(afterS * 1000).toFixed(0)} ms, while the stream is open`
    },
  },
]
