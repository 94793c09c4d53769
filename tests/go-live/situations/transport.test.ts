import { createHash } from 'node:crypto'
import { connect } from 'node:http2'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { chromium } from 'playwright-core'
import { plainReporter } from '../../../dev/progress.ts'
import { ensureChromium } from '../../../dev/servers/chromium.ts'
import { print } from '../../support/stack.ts'
import { check, sendOrder, situation, type World } from '../world.ts'

const FIRST_EVENT_S = 1

/** Opens the event stream of an order. Resolves with the first event and its seconds while the stream is still open. */
function firstEvent({ installation, keys }: World, order: string): Promise<{ text: string; afterS: number }> {
  const from = performance.now()
  return new Promise((resolve, reject) => {
    const stream = request(
      {
        ...installation.connection,
        path: `/publicapi/v1/order/${order}/statuses`,
        agent: false,
        headers: {
          host: installation.domain,
          accept: 'text/event-stream',
          'x-access-token': keys.application,
        },
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

/** Resolves with the status over HTTP/2. */
function statusByHttp2({ installation }: World): Promise<number> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${installation.port}`, installation.connection)
    session.on('error', reject)
    const stream = session.request({ ':path': '/health/live', ':authority': installation.domain })
    stream.on('response', (headers) => {
      resolve(Number(headers[':status']))
      session.close()
    })
    stream.on('error', reject)
    stream.end()
  })
}

/** The code runs in the page. */
const PROTOCOLS = `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
  .map(({ nextHopProtocol }) => nextHopProtocol)`

/** Opens the console in Chromium, only by QUIC. Resolves with the protocols of its files. */
async function protocolsOfConsole({ installation }: World): Promise<string[]> {
  const executablePath = await ensureChromium(tmpdir(), plainReporter(print))
  check(executablePath !== null, 'HTTP/3 needs Chromium: sudo apt-get install chromium-headless-shell')
  // Chromium accepts QUIC with a certificate of a private authority only by its public key.
  const { publicKey } = await installation.certificate()
  const pin = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')
  const host = `${installation.domain}:${installation.port}`
  const args = [
    '--no-sandbox',
    `--host-resolver-rules=MAP ${installation.domain} 127.0.0.1`,
    `--ignore-certificate-errors-spki-list=${pin}`,
    `--origin-to-force-quic-on=${host}`,
  ]
  const browser = await chromium.launch({ executablePath, args })
  try {
    const page = await browser.newPage()
    await page.goto(`https://${host}/console/`, { waitUntil: 'networkidle' })
    return await page.evaluate<string[]>(PROTOCOLS)
  } finally {
    await browser.close()
  }
}

situation(
  `an event stream is not buffered: its first event arrives within ${FIRST_EVENT_S} s`,
  async (world) => {
    const { status, body } = await sendOrder(world, 'cash')
    check(status === 200, `cash: ${status}`)
    const { text, afterS } = await firstEvent(world, String(body['apiKey']))
    check(text.includes('event: status'), text)
    check(afterS <= FIRST_EVENT_S, `the first event arrived after ${afterS.toFixed(2)} s`)
    return `first event after ${(afterS * 1000).toFixed(0)} ms, while the stream is open`
  },
)

situation(
  'HTTP/2 and HTTP/3: a client of each gets its response, and Chromium loads the console by QUIC',
  async (world) => {
    const { headers } = await world.installation.call('/health/live')
    check(String(headers['alt-svc']).includes('h3='), 'HTTP/3 is not offered')
    check((await statusByHttp2(world)) === 200, 'HTTP/2 does not respond')
    const protocols = await protocolsOfConsole(world)
    check(
      protocols.length > 1 && protocols.every((protocol) => protocol === 'h3'),
      `the protocols are ${protocols.join(', ')}`,
    )
    return `${protocols.length} files of the console by h3`
  },
)
