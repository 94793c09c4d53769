import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addRestaurant, placeOrders } from '../first-restaurant.ts'
import { AUTHORITY, AUTHORITY_CADDYFILE } from '../overlay.ts'
import { beforeEach, describe } from 'vitest'
import { check, secondsUntil, situation, start, type World } from '../world.ts'

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

describe('start', () => {
  // Each situation needs the previous one, and all others need these.
  beforeEach(({ onTestFailed }) => onTestFailed(() => void (start.hasFailed = true)))

  situation('without an .env nothing starts, and the log says what to do', async ({ installation }) => {
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
  })

  situation('set-up in a container, and the first start with a certificate by ACME', async (world) => {
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
  })

  situation('the first restaurant by the commands of docs/deployment.md', addRestaurant)

  situation('the first orders over TLS, cash and card; the card is captured once', placeOrders)

  situation('a client cannot choose its address', async ({ installation }) => {
    const key = readFileSync(join(installation.folder, 'operator.key'), 'utf8').trim()
    const forged = '203.0.113.9'
    const { status, body } = await installation.call('/operatorapi/v1/health', {
      key,
      headers: { 'x-forwarded-for': forged, 'x-real-ip': forged, forwarded: `for=${forged}` },
    })
    const address = String(body['clientAddress'])
    check(status === 200 && address !== forged, `the gateway sees ${address}`)
    return `X-Forwarded-For is replaced: the gateway sees ${address}`
  })
})
