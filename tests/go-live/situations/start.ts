import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AUTHORITY, AUTHORITY_CADDYFILE } from '../overlay.ts'
import { check, sendOrder, secondsUntil, type Situation, type World } from '../world.ts'

/** Returns the restaurant of docs/deployment.md, open at all times. */
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

/** Starts an authority with an ACME directory, and stores its certificate at the path of CA_FILE. */
async function startAuthority({ installation }: World): Promise<void> {
  installation.write('authority.Caddyfile', AUTHORITY_CADDYFILE)
  installation.write(AUTHORITY.file, '')
  await installation.compose('up', '-d', 'authority')
  const root = ['exec', '-T', 'authority', 'cat', '/data/caddy/pki/authorities/local/root.crt']
  await secondsUntil(
    async () => {
      installation.authority = await installation.compose(...root)
      return true
    },
    { what: 'the authority', withinS: 60 },
  )
  installation.write(AUTHORITY.file, installation.authority ?? '')
}

async function onlyCaddyIsPublished({ installation }: World): Promise<void> {
  const published = await installation.compose('ps', '--format', '{{.Service}} {{.Publishers}}')
  const open = published.split('\n').filter((line) => /0\.0\.0\.0|\[?::\]?:/.test(line))
  check(
    open.length === 1 && open[0]?.startsWith('caddy ') === true,
    `ports are published: ${open.join('; ')}`,
  )
}

const lastWord = (output: string): string => output.trim().split(/\s+/).at(-1) ?? ''

/** Runs the commands of docs/deployment.md: they add a restaurant, its console, an application and their keys. */
export async function addRestaurant(world: World): Promise<string> {
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
}

/** Places one order in cash and one by card. The card order is captured once. */
export async function placeOrders(world: World): Promise<string> {
  const cash = await sendOrder(world, 'cash')
  check(cash.status === 200, `cash: ${cash.status} ${JSON.stringify(cash.body)}`)
  const card = await sendOrder(world, 'card')
  check(card.status === 200, `card: ${card.status} ${JSON.stringify(card.body)}`)
  const captures = () => world.stripe.captured().filter(({ reference }) => reference === card.body['apiKey'])
  await secondsUntil(async () => captures().length > 0, { what: 'the capture', withinS: 30 })
  check(captures().length === 1, 'the card is captured more than once')
  return `${captures()[0]?.amount} cents captured once`
}

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
    title: 'set-up in a container, and the first start with a certificate by ACME',
    async run(world) {
      const { installation } = world
      await installation.setUp()
      await startAuthority(world)
      const from = performance.now()
      await installation.compose('up', '-d', '--build', '--wait')
      const isReady = async () => (await installation.call('/health/ready')).status === 200
      await secondsUntil(isReady, { what: 'ready over TLS', withinS: 120 })
      const tookS = (performance.now() - from) / 1000
      const certificate = await installation.certificate()
      check(certificate.issuer.includes(AUTHORITY.issuer), `the issuer is ${certificate.issuer}`)
      const plain = await installation.plainStatus()
      check(plain === 308, `plain http is ${plain}`)
      await onlyCaddyIsPublished(world)
      await installation.compose('rm', '-sfv', 'authority')
      return `ready after ${tookS.toFixed(0)} s, images included; issued by "${certificate.issuer.replaceAll('\n', ', ')}"`
    },
  },
  {
    title: 'the first restaurant by the commands of docs/deployment.md',
    run: addRestaurant,
  },
  {
    title: 'the first orders over TLS, cash and card; the card is captured once',
    run: placeOrders,
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
