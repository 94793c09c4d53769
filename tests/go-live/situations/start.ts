import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { DOMAIN } from '../installation.ts'
import { check, sendOrder, secondsUntil, type Situation, type World } from '../world.ts'

/** The file of docs/deployment.md, open at all times. */
function restaurantOfTheDocuments() {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/deployment.md'), 'utf8')
  const [, json = ''] = /^```json\n(\{\n {2}"restaurant"[^]*?)^```$/m.exec(text) ?? []
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
  const file = JSON.parse(json) as {
    restaurant: { apiKey: string; hours: object }
    menu: [{ items: [{ apiKey: string }] }]
  }
  file.restaurant.hours = Object.fromEntries(days.map((day) => [day, ['12:00 AM - 12:00 AM']]))
  return file
}

/** Resolves with the status over HTTP/2. */
function statusByHttp2({ installation }: World): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      servername: DOMAIN,
      ...(installation.authority !== undefined && { ca: installation.authority }),
    }
    const session = connect(`https://127.0.0.1:${installation.port}`, options)
    session.on('error', reject)
    const stream = session.request({ ':path': '/health/live', ':authority': DOMAIN })
    stream.on('response', (headers) => {
      resolve(Number(headers[':status']))
      session.close()
    })
    stream.on('error', reject)
    stream.end()
  })
}

const lastWord = (output: string): string => output.trim().split(/\s+/).at(-1) ?? ''

export const START: readonly Situation[] = [
  {
    title: 'without an .env nothing starts, and the log says what to do',
    async run({ installation }) {
      const up = ['compose', '-f', 'docker-compose.production.yml', 'up', '-d', '--build', 'postgres']
      const { status } = await installation.attempt('docker', ...up)
      const log = await installation.compose('-f', 'docker-compose.production.yml', 'logs', 'secrets')
      check(status !== 0 && log.includes('run --rm setup'), log)
      const running = await installation.compose(
        '-f',
        'docker-compose.production.yml',
        'ps',
        '-q',
        '--status',
        'running',
      )
      check(running.trim() === '', 'a container runs')
      return 'refused before PostgreSQL'
    },
  },
  {
    title: 'set-up in a container, and the first start',
    async run({ installation }) {
      const setup = [
        'run',
        '--rm',
        '-T',
        'setup',
        '--domain',
        DOMAIN,
        '--processor',
        'stripe',
        '--from',
        'answers',
      ]
      await installation.compose('-f', 'docker-compose.production.yml', ...setup)
      for (const name of ['.env', 'operator.key'])
        check(
          (statSync(join(installation.folder, name)).mode & 0o777) === 0o600,
          `${name} is readable for others`,
        )
      const from = performance.now()
      await installation.compose('up', '-d', '--build', '--wait')
      const root = 'cat /data/caddy/pki/authorities/local/root.crt'
      installation.authority = await installation.compose('exec', '-T', 'caddy', 'sh', '-c', root)
      const { status, headers } = await installation.call('/health/ready')
      check(status === 200, `/health/ready is ${status}`)
      check(String(headers['alt-svc']).includes('h3='), 'HTTP/3 is not offered')
      const published = await installation.compose('ps', '--format', '{{.Service}} {{.Publishers}}')
      const open = published.split('\n').filter((line) => /0\.0\.0\.0|\[?::\]?:/.test(line))
      check(
        open.length === 1 && open[0]?.startsWith('caddy ') === true,
        `ports are published: ${open.join('; ')}`,
      )
      return `ready after ${((performance.now() - from) / 1000).toFixed(0)} s, images included`
    },
  },
  {
    title: 'the first restaurant by the commands of docs/deployment.md',
    async run(world) {
      const { installation, keys } = world
      const file = restaurantOfTheDocuments()
      installation.write('bistro-aurora.json', JSON.stringify(file))
      await installation.platter('restaurants', 'import', 'bistro-aurora.json')
      world.restaurantApiKey = file.restaurant.apiKey
      world.itemApiKey = file.menu[0].items[0].apiKey
      keys.restaurant = lastWord(
        await installation.platter('keys', 'issue', '--restaurant', file.restaurant.apiKey),
      )
      keys.applicationId = lastWord(await installation.platter('applications', 'create', 'My application'))
      keys.application = lastWord(
        await installation.platter('keys', 'issue', '--application', keys.applicationId),
      )
      const closed = await sendOrder(world, 'cash')
      check(closed.body['code'] === 'restaurant-closed', `without a console an order is ${closed.status}`)
      await world.tablet.connect()
      const open = async () =>
        (
          await installation.call(`/publicapi/v1/restaurant/${world.restaurantApiKey}`, {
            key: keys.application,
          })
        ).body['open'] === true
      return `open ${(await secondsUntil(open, { what: 'the restaurant is open', withinS: 30 })).toFixed(1)} s after its console connected`
    },
  },
  {
    title: 'the first orders over TLS, cash and card; the card is captured once',
    async run(world) {
      const cash = await sendOrder(world, 'cash')
      check(cash.status === 200, `cash: ${cash.status} ${JSON.stringify(cash.body)}`)
      const card = await sendOrder(world, 'card')
      check(card.status === 200, `card: ${card.status} ${JSON.stringify(card.body)}`)
      const captures = () =>
        world.stripe.captured().filter(({ reference }) => reference === card.body['apiKey'])
      await secondsUntil(async () => captures().length > 0, { what: 'the capture', withinS: 30 })
      check(captures().length === 1, 'the card is captured more than once')
      check((await statusByHttp2(world)) === 200, 'HTTP/2 does not respond')
      return `${captures()[0]?.amount} cents captured once`
    },
  },
  {
    title: 'a client cannot choose its address',
    async run({ installation }) {
      const key = readFileSync(join(installation.folder, 'operator.key'), 'utf8').trim()
      const forged = '203.0.113.9'
      const { status, body } = await installation.call('/operatorapi/v1/health', {
        key,
        headers: { 'x-forwarded-for': forged, 'x-real-ip': forged, forwarded: `for=${forged}` },
      })
      const address = String(body['clientAddress'])
      check(status === 200 && address !== forged, `the gateway sees ${address}`)
      return `X-Forwarded-For is replaced: the gateway sees ${address}`
    },
  },
]
