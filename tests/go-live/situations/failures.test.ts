import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, reconcile, secondsUntil, sendOrder, whileOrdering, situation, type World } from '../world.ts'

const isOpen = async ({ installation, restaurantApiKey, keys }: World): Promise<unknown> =>
  (await installation.call(`/publicapi/v1/restaurant/${restaurantApiKey}`, { key: keys.application })).body[
    'open'
  ]

const TOOL = ['compose', 'run', '--rm', '-T', 'platter']

/** Creates a certificate for the domain that ended yesterday. Only OpenSSL's `ca` sets both dates. */
const expired = (domain: string) => `cd /tmp && mkdir -p ca && : > ca/index && echo 01 > ca/serial &&
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca/key.pem -out ca/root.pem -days 9 -subj /CN=expired &&
openssl req -newkey rsa:2048 -nodes -keyout key.pem -out csr.pem -subj /CN=${domain} &&
printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=/tmp/ca/index\\nserial=/tmp/ca/serial\\nnew_certs_dir=/tmp/ca\\ndefault_md=sha256\\npolicy=p\\n[p]\\ncommonName=supplied\\n' > ca/conf &&
openssl ca -batch -config ca/conf -in csr.pem -cert ca/root.pem -keyfile ca/key.pem -out cert.pem -startdate 20200101000000Z -enddate 20200201000000Z -notext`

/** Changes the secret of the processor in .env, and recreates the services that use it. */
async function useSecret({ installation }: World, secret: string): Promise<void> {
  installation.configure('STRIPE_SECRET_KEY', secret)
  await installation.compose('up', '-d', '--wait')
}

situation(
  'the tablet goes offline: the restaurant closes, no card is charged, and it opens again with the tablet',
  async (world) => {
    world.tablet.disconnect()
    const closing = await secondsUntil(async () => (await isOpen(world)) === false, {
      what: 'closed',
      withinS: 95,
    })
    const before = world.stripe.captured().length
    const refused = await sendOrder(world, 'card')
    check(
      refused.status === 422 && refused.body['code'] === 'restaurant-closed',
      `a card order is ${refused.status}`,
    )
    check(world.stripe.captured().length === before, 'a card was charged')
    await world.tablet.connect(world)
    const opening = await secondsUntil(async () => (await isOpen(world)) === true, {
      what: 'open',
      withinS: 5,
    })
    return `closed after ${closing.toFixed(0)} s, open again after ${opening.toFixed(1)} s`
  },
)

situation(
  'a wrong secret of the processor: cards fail without an order, cash works, and doctor names it',
  async (world) => {
    const { installation, stripe } = world
    await useSecret(world, ['sk', 'test', 'wrong0123456789ABCDEF'].join('_'))
    const card = await sendOrder(world, 'card')
    check(card.status >= 400, `a card order is ${card.status}`)
    check((await sendOrder(world, 'cash')).status === 200, 'a cash order fails')
    const { processor } = await installation.doctor()
    check(processor !== undefined, 'doctor does not name the processor')
    await useSecret(world, stripe.secretKey)
    check((await sendOrder(world, 'card')).status === 200, 'a card order fails with the right secret')
    return `card ${card.status} ${String(card.body['code'])}; doctor: ${processor}`
  },
)

situation('a disk that is 95 % full: doctor names it', async ({ installation }) => {
  const fill = 'head -c 19922944 /dev/zero > /small/file; exec node /app/apps/cli/src/main.ts doctor --json'
  const options = [
    'run',
    '--rm',
    '-T',
    '-e',
    'BACKUP_FOLDER=/small',
    '--entrypoint',
    'sh',
    'platter',
    '-c',
    fill,
  ]
  const { stdout } = await installation.attempt('docker', 'compose', ...options)
  const found = (JSON.parse(stdout) as { check: string; state: string; detail: string }[]).find(
    (one) => one.check === 'disk',
  )
  check(found?.state === 'wrong' && found.detail.includes('/small 95 %'), JSON.stringify(found))
  return found.detail
})

situation(
  'an expired certificate: clients refuse it, doctor names it, and Caddy replaces it',
  async ({ installation }) => {
    const file = join(installation.folder, 'deploy/compose/Caddyfile')
    const caddyfile = readFileSync(file, 'utf8')
    await installation.run('sh', '-c', expired(installation.domain))
    const [cert, key] = ['cert', 'key'].map((name) => readFileSync(`/tmp/${name}.pem`, 'utf8'))
    check(new X509Certificate(cert ?? '').validToDate < new Date(), 'the certificate is valid')
    installation.write('deploy/compose/expired.pem', `${cert}${key}`)
    await installation.compose('cp', 'deploy/compose/expired.pem', 'caddy:/data/expired.pem')
    const use = async (text: string) => {
      installation.write('deploy/compose/Caddyfile', text)
      await installation.compose('exec', '-T', 'caddy', 'caddy', 'reload', '--config', '/etc/caddy/Caddyfile')
    }
    await use(caddyfile.replace('import tls-{$TLS:acme}', 'tls /data/expired.pem /data/expired.pem'))
    const refused = await installation.call('/health/live').then(
      () => 'accepted',
      (error: unknown) => String(error),
    )
    check(refused !== 'accepted', 'a client accepts it')
    const { TLS: finding } = await installation.doctor()
    check(finding !== undefined, 'doctor does not name it')
    await use(caddyfile)
    const { status } = await installation.call('/health/live')
    check(status === 200, 'the certificate is not replaced')
    return `doctor: ${finding}`
  },
)

situation(
  'payments is stopped: the list of incidents has the others, and doctor names what is missing',
  async (world) => {
    const { installation } = world
    const letter = `insert into orders.dead_letters (id, command, content, request_id, reason)
        values ('rehearsal', 'payments.unknown', '', 'q', 'of a foreign publisher')`
    await installation.sql(letter)
    await installation.compose('stop', 'payments')
    const { stdout } = await installation.attempt('docker', ...TOOL, 'attention', 'list', '--json')
    const listed = JSON.parse(stdout) as { id: string; kind: string; what: string }[]
    const missing = listed.filter(({ kind }) => kind === 'incidents-unavailable').map(({ what }) => what)
    check(missing.toSorted().join(', ') === 'open-dispute, unknown-payment', `missing: ${missing.join(', ')}`)
    check(
      listed.some(({ id }) => id === 'letter_rehearsal'),
      `the dead letter is not listed: ${stdout}`,
    )
    const { incidents, 'dead letters': letters } = await installation.doctor()
    check(letters === '1 × dead-letter', `doctor: ${letters}`)
    await installation.compose('up', '-d', '--wait')
    await installation.platter('attention', 'discard', 'letter_rehearsal')
    const after = await installation.platter('attention', 'list')
    check(after.includes('There are no incidents.'), after)
    return `doctor: ${incidents}`
  },
)

situation(
  'a wiped RabbitMQ, a flushed Redis and a killed gateway while clients order lose nothing',
  async (world) => {
    const { installation } = world
    const text = await whileOrdering(world, 60, async () => {
      await installation.compose('exec', '-T', 'redis', 'redis-cli', 'flushall')
      await installation.compose('kill', 'gateway')
      await installation.compose('rm', '-sfv', 'rabbitmq')
      await installation.run('docker', 'volume', 'rm', `${installation.project}_rabbitmq`)
      await installation.compose('up', '-d', '--wait')
    })
    await reconcile(world)
    return text
  },
)

situation('an alert reaches a receiver that verifies its signature', async ({ installation, receiver }) => {
  // Messages of the earlier situations do not count.
  const earlier = receiver.received.length
  const output = await installation.platter('alerts', 'test')
  check(output.includes('webhook: delivered'), output)
  const tests = receiver.received.slice(earlier).filter((text) => text.includes('This is a test.'))
  check(tests.length === 1, `${tests.length} test messages arrived`)
  return `delivered; ${earlier} alerts arrived before it`
})

situation('a leaked key: rejected within 5 s of its revocation, and its successor works', async (world) => {
  const { installation, keys } = world
  const list = await installation.platter('keys', 'list', '--application', keys.applicationId, '--json')
  const [leaked] = JSON.parse(list) as { id: string }[]
  const next =
    (await installation.platter('keys', 'issue', '--application', keys.applicationId))
      .trim()
      .split(/\s+/)
      .at(-1) ?? ''
  await installation.platter('keys', 'revoke', leaked?.id ?? '')
  const rejected = async () => (await sendOrder(world, 'cash')).status === 401
  const took = await secondsUntil(rejected, { what: 'the rejection', withinS: 5 })
  keys.application = next
  check((await sendOrder(world, 'cash')).status === 200, 'the new key does not work')
  return `rejected after ${took.toFixed(1)} s`
})
