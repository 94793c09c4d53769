import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readConfig } from '@platter/kit'
import { isKnownSecret, secretVariables } from '@platter/kit/security/known-secrets'
import { expect, test } from 'vitest'
import type { z } from 'zod'
import { readComposeFile } from '../../dev/servers/compose-file.ts'
import { SIMULATORS_SECRET } from '../../dev/simulators/src/link.ts'
import { serviceNames } from '../../dev/stack/services.ts'

/* Except in development, a service does not start with a secret that an attacker would try. */

const root = join(import.meta.dirname, '../..')
const configs = await Promise.all(
  serviceNames.map(async (name) => {
    const file = pathToFileURL(join(root, `services/${name}/src/config.ts`)).href
    return [name, ((await import(file)) as { Config: z.ZodObject }).Config] as const
  }),
)

const good: Readonly<Record<string, string>> = {
  NODE_ENV: 'production',
  PORT: '0',
  INTERNAL_SECRET: '5f0c7d2b91ae4863d0f2c5b7a9e81346',
  PASSWORD_PEPPER: '5f0c7d2b91ae4863d0f2c5b7a9e81346',
  DATABASE_URL: 'postgres://orders:9b1f60c2d7e35a84@db/platter',
  AMQP_URL: 'amqp://orders:9b1f60c2d7e35a84@mq',
  REDIS_URL: 'redis://:9b1f60c2d7e35a84@redis',
  CATALOG_URL: 'http://catalog',
  ACCOUNTS_URL: 'http://accounts',
  ORDERS_URL: 'http://orders',
  PAYMENTS_URL: 'http://payments',
}

const url = (user: string, password: string) => `amqp://${user}:${password}@server`
const ofUrls = [
  url('guest', 'guest'),
  url('postgres', 'postgres'),
  url('orders', ''),
  'amqp://server',
  url('platter', 'rabbitmq'),
  url('orders', 'Changeme'),
  url('orders', 'q7Rk2'),
  url('orders', 'aaaaaaaaaaaaaaaaaaaaaaaa'),
]
const bad: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: ofUrls,
  DATABASE_DIRECT_URL: ofUrls,
  AMQP_URL: ofUrls,
  REDIS_URL: ofUrls,
  INTERNAL_SECRET: ['for-development-only-known-to-everybody', 's'.repeat(40), '12'.repeat(20)],
  INTERNAL_SECRET_OTHER: ['for-development-only-known-to-everybody', 's'.repeat(40)],
  PASSWORD_PEPPER: [
    'for-development-only-known-to-everybody',
    's'.repeat(40),
    '5f0c7d2b91ae4863d0f2c5b7a9e81346,for-development-only-known-to-everybody',
  ],
  STRIPE_SECRET_KEY: ['sk_test_4eC39HqLyjWDarjtT1zdp7dc', 'sk_live_1'],
  STRIPE_WEBHOOK_SECRET: ['whsec_1', 'whsec_test'],
  PROCESSOR_WEBHOOK_SECRET: ['whsec_development', 'whsec_1'],
  ALERT_WEBHOOK_SECRET: ['whsec_cGxhdHRlci1kZXZlbG9wbWVudC1vbmx5LXNlY3JldCE=', `whsec_${'A'.repeat(32)}`],
  ALERT_WEBHOOK_TOKEN: ['changeme', 'a'.repeat(32)],
  DEFAULT_RESTAURANT_LINK: [
    'http://:whsec_cGxhdHRlci1kZXZlbG9wbWVudC1vbmx5LXNlY3JldCE%3D@simulators:8080/accepts',
    'https://:whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr@example.org/orders',
  ],
  OPERATOR_KEY_HASH: [
    'e59dc28620925600bb1471fe8b07e95fd8c46e17cb32748156f281b611bfc5d2',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  ],
}

const refused = configs.flatMap(([service, Config]) =>
  Object.entries(bad)
    .filter(([variable]) => variable in Config.shape)
    .flatMap(([variable, values]) => values.map((value) => [service, variable, value, Config] as const)),
)

test.each(refused)('%s does not start with %s=%s', (_, variable, value, Config) => {
  let message = ''
  try {
    readConfig(Config, { ...good, [variable]: value })
  } catch (error) {
    message = String(error)
  }
  expect(message).toContain(`${variable}: `)
  const secret = URL.canParse(value) ? new URL(value).password : value
  expect(secret !== '' && message.includes(secret)).toBe(false)
  expect(() => readConfig(Config, { ...good, [variable]: value, NODE_ENV: 'development' })).not.toThrow()
})

test.each(configs)('%s starts with random secrets, under any NODE_ENV', (_, Config) => {
  for (const NODE_ENV of ['production', 'test', undefined])
    expect(() => readConfig(Config, { ...good, NODE_ENV })).not.toThrow()
})

test('only NODE_ENV=development permits publicly known secrets', () => {
  const known = { ...good, AMQP_URL: url('guest', 'guest') }
  const [, Orders] = configs.find(([name]) => name === 'orders') ?? []
  if (!Orders) throw new Error('services/orders has no Config')
  for (const NODE_ENV of [undefined, '', 'test', 'Development'])
    expect(() => readConfig(Orders, { ...known, NODE_ENV })).toThrow('AMQP_URL: is publicly known')
})

test('secretVariables has every variable with the name of a secret or the URL of a server', () => {
  const names = configs.flatMap(([, Config]) => Object.keys(Config.shape))
  const secret = names.filter((name) =>
    /SECRET|PASSWORD|TOKEN$|(?<!PUBLISHABLE)_KEY$|KEY_HASH|^(DATABASE(_DIRECT)?|AMQP|REDIS)_URL$|^DEFAULT_RESTAURANT_LINK$/.test(
      name,
    ),
  )
  expect(new Set(secret)).toEqual(new Set(Object.keys(secretVariables)))
  expect(new Set(Object.keys(bad))).toEqual(new Set(secret))
})

test('services refuse every default secret of docker-compose.yml in production', () => {
  const compose = readComposeFile()
  for (const [name, Config] of configs) {
    const environment: Record<string, string> = {
      ...compose[name]?.environment,
      NODE_ENV: 'production',
      HOST: '',
      PORT: '0',
    }
    const expected = Object.keys(environment).filter(
      (variable) => variable in secretVariables && environment[variable] !== '',
    )
    for (const variable of expected)
      expect(() => readConfig(Config, environment)).toThrow(
        `${variable}: ${variable === 'DEFAULT_RESTAURANT_LINK' ? 'is not `console`' : 'is publicly known'}`,
      )
  }
})

test('the secret of the simulated restaurants is publicly known', () => {
  expect(isKnownSecret(SIMULATORS_SECRET)).toBe(true)
})

test('a service with a refused secret exits with 1, and names the variable without its value', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'services/payments/src/main.ts')],
    {
      env: { ...good, AMQP_URL: url('guest', 'guest-of-honour') },
      encoding: 'utf8',
      timeout: 100_000,
    },
  )
  expect(status).toBe(1)
  expect(stdout + stderr).toContain('AMQP_URL: is shorter than 16 characters')
  expect(stdout + stderr).not.toContain('guest-of-honour')
})
