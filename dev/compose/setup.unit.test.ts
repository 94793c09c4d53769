import { randomBytes } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { hashAccessKey } from '@platter/kit/security/access-key'
import { runAtTerminal } from '@platter/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { installationFaults } from './installation.ts'

const script = join(import.meta.dirname, 'setup.ts')
const random = randomBytes(12).toString('hex')
let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'platter-setup-'))))
afterEach(() => rmSync(folder, { recursive: true }))

function setup(...options: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--folder', folder, ...options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { status, output: stdout + stderr }
}
const text = (name = '.env') => readFileSync(join(folder, name), 'utf8')
const CASH = ['--domain', 'platter.lan', '--processor', 'none']

/** The files of a complete installation. */
const complete = mkdtempSync(join(tmpdir(), 'platter-setup-'))
afterAll(() => rmSync(complete, { recursive: true }))
let installation: ReturnType<typeof setup>
beforeAll(() => {
  folder = complete
  installation = setup(...CASH)
})
const install = () => cpSync(complete, folder, { recursive: true })

test('writes a complete .env and operator.key with mode 0600, and prints no secret', () => {
  install()
  const { status, output } = installation
  expect({ status, output }).toMatchObject({
    status: 0,
    output: expect.stringContaining('docker compose up') as string,
  })
  const values = parseEnv(text())
  expect(installationFaults(values)).toEqual([])
  expect(values['OPERATOR_KEY_HASH']).toBe(hashAccessKey(text('operator.key').trim()))
  for (const name of ['.env', 'operator.key']) expect(statSync(join(complete, name)).mode & 0o777).toBe(0o600)
  // Neither a secret nor the key reaches the terminal.
  expect(
    Object.values(values).filter(
      (value) => /^[0-9a-f]{48}/.test(value ?? '') && output.includes(value ?? ''),
    ),
  ).toEqual([])
})

test('leaves a complete .env unchanged, and adds the missing values to an older one', () => {
  install()
  const before = text()
  expect(setup('--domain', 'other.lan')).toMatchObject({ status: 0 })
  expect(text()).toBe(before)
  writeFileSync(join(folder, '.env'), before.replace(/^REDIS_PASSWORD=.*\n/m, '# kept\n'))
  expect(setup().output).toContain('REDIS_PASSWORD')
  expect(installationFaults(parseEnv(text()))).toEqual([])
  expect(text()).toContain('# kept\n')
})

test('--force keeps the replaced .env under another name', () => {
  install()
  const before = text()
  expect(setup(...CASH, '--force').status).toBe(0)
  const [kept = ''] = readdirSync(folder).filter((name) => name.startsWith('.env.before-'))
  expect(text(kept)).toBe(before)
  expect(text()).not.toBe(before)
})

test('names each missing value without a terminal, and writes no file', () => {
  const { status, output } = setup('--domain', 'orders.bistro-aurora.com', '--processor', 'stripe')
  expect(status).toBe(2)
  for (const name of ['TLS_EMAIL', 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'])
    expect(output).toContain(`${name} is missing.`)
  expect(readdirSync(folder)).toEqual([])
})

test('reads the file of --from at an absolute path outside of the folder', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'platter-setup-')), 'answers')
  onTestFinished(() => rmSync(dirname(file), { recursive: true }))
  writeFileSync(file, 'GEOCODER_URL=https://geocoder.lan\n')
  expect(setup(...CASH, '--from', file)).toMatchObject({ status: 0 })
  expect(parseEnv(text())['GEOCODER_URL']).toBe('https://geocoder.lan')
})

test('reads secrets from the file of --from, and keeps a value with a $ in single quotes', () => {
  writeFileSync(
    join(folder, 'answers'),
    `STRIPE_SECRET_KEY=sk_live_${random}\nSTRIPE_WEBHOOK_SECRET=whsec_${random}\nALERT_SMTP_URL='smtp://a:b$c@mail'\n`,
  )
  const given = [
    '--domain',
    'orders.bistro-aurora.com',
    '--email',
    'maria@bistro-aurora.com',
    '--processor',
    'stripe',
  ]
  expect(setup(...given, '--from', 'answers').status).toBe(0)
  expect(installationFaults(parseEnv(text()))).toEqual([])
  expect(text()).toContain("ALERT_SMTP_URL='smtp://a:b$c@mail'")
})

test('without OPERATOR_KEY_HASH, an existing .env gets another operator key, because the first one was lost', () => {
  install()
  const lost = text('operator.key')
  rmSync(join(folder, 'operator.key'))
  writeFileSync(join(folder, '.env'), text().replace(/^OPERATOR_KEY_HASH=.*\n/m, ''))
  expect(setup().status).toBe(0)
  expect(text('operator.key')).not.toBe(lost)
  expect(parseEnv(text())['OPERATOR_KEY_HASH']).toBe(hashAccessKey(text('operator.key').trim()))
})

test('refuses to replace an operator key whose hash is not in .env', () => {
  writeFileSync(join(folder, 'operator.key'), 'key\n')
  expect(setup(...CASH)).toMatchObject({
    status: 2,
    output: expect.stringContaining('operator.key exists') as string,
  })
  expect(readdirSync(folder)).toEqual(['operator.key'])
})

test('Ctrl+C at a question ends with a sentence, and writes no file', async () => {
  const { code, output } = await runAtTerminal([process.execPath, script, '--folder', folder], {
    prompt: 'Domain',
    keys: '\u0003',
  })
  expect([code, output.split('\r\n').slice(1)]).toEqual([2, ['Nothing was written.', '']])
  expect(readdirSync(folder)).toEqual([])
})
