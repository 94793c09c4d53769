import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/*
 * Tests oxlint.config.ts. The linter silently ignores a regex that does not compile, and then reports no violation. Every rule
 * must therefore report a violation that is planted here.
 */

const root = join(import.meta.dirname, '../..')
const from = (specifier: string) => `export { A } from '${specifier}'\n`
const typeFrom = (specifier: string) => `import type { A } from '${specifier}'\nexport type B = A\n`

/** [rule that oxlint must report, file, code]. One file may contain several violations of different rules. */
const FORBIDDEN: [rule: string, file: string, code: string][] = [
  ['service-to-service', 'services/catalog/src/a.ts', from('@platter/orders')],
  [
    'service-to-service',
    'services/catalog/src/routes/type-only.ts',
    typeFrom('@platter/orders/src/domain/order.ts'),
  ],
  [
    'service-to-service',
    'services/catalog/src/routes/relative.ts',
    typeFrom('../../../orders/src/domain/order.ts'),
  ],
  ['service-to-service', 'services/catalog/src/long-way.ts', from('../../../services/orders/src/a.ts')],
  [
    'service-to-service',
    'services/catalog/src/later.ts',
    "export const load = () => import('@platter/orders')\n",
  ],
  ['service-to-service', 'services/catalog/src/a.stack.test.ts', typeFrom('@platter/orders')],
  ['service-to-service', 'services/gateway/src/wire.ts', from('@platter/orders')],
  ['service-to-service', 'services/orders/src/processor.ts', from('@platter/processor')],
  ['packages-by-name', 'services/catalog/src/by-path.ts', from('../../../packages/kit/src/config.ts')],
  ['packages-by-name', 'packages/bus/src/by-path.ts', from('../../kit/src/config.ts')],
  ['package-to-service', 'packages/kit/src/a.ts', typeFrom('@platter/orders')],
  ['package-to-service', 'packages/testkit/src/a.ts', from('../../../services/orders/src/saga/a.ts')],
  ['testkit-is-for-tests', 'services/orders/src/fixtures.ts', from('@platter/testkit')],
  ['testkit-is-for-tests', 'services/orders/src/saga/sagas.ts', from('#/testing/sagas.ts')],
  ['e2e-uses-the-gateway', 'tests/e2e/send-order.test.ts', from('@platter/orders')],

  ['imports-by-alias', 'services/orders/src/relative.ts', from('./domain/order.ts')],
  ['imports-by-alias', 'packages/kit/src/http/relative.ts', from('../problem.ts')],
  ['imports-by-alias', 'packages/testkit/src/b.ts', from('../../../dev/process/host.ts')],
  ['cli-uses-the-gateway', 'apps/cli/src/a.ts', from('@platter/kit')],
  ['cli-uses-the-gateway', 'apps/cli/src/b.ts', typeFrom('../../../services/orders/src/domain/order.ts')],
  ['console-imports-preact-only', 'apps/console/src/schemas.ts', from('@platter/contracts')],
  ['console-imports-preact-only', 'apps/console/src/views/file.tsx', from('node:fs')],

  ['contracts-import-zod-only', 'packages/contracts/src/a.ts', from('node:crypto')],
  ['contracts-import-zod-only', 'packages/contracts/src/values/b.ts', typeFrom('@platter/kit')],
  ['amqplib-in-bus-only', 'packages/kit/src/broker.ts', typeFrom('amqplib')],
  ['amqplib-in-bus-only', 'services/payments/src/wire.ts', from('amqplib/callback_api')],
  ['amqplib-in-bus-only', 'dev/broker.ts', from('amqplib')],
  ['sql-in-store-only', 'services/orders/src/sql.ts', from('kysely')],
  ['sql-in-store-only', 'services/orders/src/handlers/sql.ts', typeFrom('kysely')],
  ['sql-in-store-only', 'services/orders/src/operating/sql.ts', from('kysely')],
  ['sql-in-store-only', 'packages/bus/src/sql.ts', "export const load = () => import('pg')\n"],
  ['sql-in-store-only', 'tests/policy/sql.ts', from('pg')],
  ['fastify-in-kit-only', 'services/orders/src/routes/http.ts', typeFrom('fastify')],
  ['fastify-in-kit-only', 'packages/bus/src/http.ts', from('@fastify/swagger')],
  ['redis-in-store-only', 'services/catalog/src/handlers/redis.ts', from('ioredis')],
  ['undici-in-outside-only', 'services/orders/src/handlers/call.ts', from('undici')],
  ['undici-in-outside-only', 'services/orders/src/delivery/call.ts', from('undici')],
  ['stripe-in-outside-only', 'services/payments/src/command-executor.ts', typeFrom('stripe')],

  ['domain-is-pure', 'services/orders/src/domain/library.ts', from('some-new-library')],
  ['domain-is-pure', 'services/orders/src/domain/builtin.ts', from('node:crypto')],
  ['domain-is-pure', 'services/orders/src/domain/store.ts', typeFrom('../store/orders.ts')],
  ['domain-is-pure', 'services/orders/src/domain/saga.ts', typeFrom('../saga/a.ts')],
  ['domain-is-pure', 'services/orders/src/domain/kit.ts', from('@platter/kit')],
  ['domain-is-pure', 'services/orders/src/domain/detour.ts', from('./x/../../store/orders.ts')],
  ['domain-is-pure', 'services/orders/src/domain/alias.ts', from('#/store/orders.ts')],
  ['saga-is-pure', 'services/orders/src/saga/domain/store.ts', typeFrom('../../store/orders.ts')],
  ['saga-is-pure', 'services/orders/src/saga/domain/bus.ts', from('@platter/bus')],
  ['saga-is-pure', 'services/orders/src/saga/domain/orchestrator.ts', from('#/saga/orchestrator.ts')],
  ['saga-is-pure', 'services/orders/src/saga/domain/detour.ts', from('../domain/../../store/orders.ts')],
  ['store-below-handlers', 'services/orders/src/store/handler.ts', typeFrom('../handlers/quote.ts')],
  ['store-below-handlers', 'services/orders/src/store/saga.ts', typeFrom('../saga/domain/steps.ts')],
  ['store-below-handlers', 'services/orders/src/store/route.ts', from('#/routes/send-order.ts')],
  ['store-below-handlers', 'services/orders/src/store/outside.ts', from('../delivery/webhook.ts')],
  ['store-below-handlers', 'services/orders/src/store/placing.ts', typeFrom('#/placing/check-order.ts')],
  ['store-below-handlers', 'services/orders/src/store/reading.ts', typeFrom('#/reading/visibility.ts')],
  ['store-below-handlers', 'services/orders/src/store/operating.ts', from('#/operating/reconcile.ts')],
  ['handlers-are-independent', 'services/orders/src/handlers/sibling.ts', typeFrom('./quote.ts')],
  ['handlers-are-independent', 'services/orders/src/routes/handler.ts', from('../handlers/quote.ts')],
  [
    'handlers-are-independent',
    'services/orders/src/reading/routes/sibling.ts',
    typeFrom('#/placing/routes/a.ts'),
  ],
  ['handlers-are-independent', 'services/gateway/src/routes/sibling.ts', from('./quote.ts')],
  ['wire-is-not-imported', 'services/orders/src/handlers/root.ts', typeFrom('../wire.ts')],
  ['wire-is-not-imported', 'services/orders/src/store/root.ts', from('../main.ts')],
  ['wire-is-not-imported', 'services/orders/src/root.ts', from('./wire.ts')],
  ['wire-is-not-imported', 'scripts/root.ts', from('../services/orders/src/main.ts')],

  [
    'sql-has-parameters',
    'services/orders/src/store/raw.ts',
    `${from('kysely')}export const a = (sql: { raw: (text: string) => string }, text: string) => sql.raw(text)\n`,
  ],
  [
    'environment-in-config-only',
    'services/payments/src/config.ts',
    "export const url = process.env['DATABASE_URL']\n",
  ],
  ['environment-in-config-only', 'packages/kit/src/telemetry/log.ts', 'export const { env } = process\n'],
  ['environment-in-config-only', 'services/accounts/src/wire.ts', "export { env } from 'node:process'\n"],
  ['Date.now', 'services/orders/src/domain/now.ts', 'export const now = () => Date.now()\n'],
  ['Math.random', 'services/orders/src/saga/domain/random.ts', 'export const dice = () => Math.random()\n'],
  ["'fetch'", 'services/orders/src/domain/fetch.ts', "export const get = () => fetch('http://localhost')\n"],
  ["'process'", 'services/orders/src/saga/domain/process.ts', 'export const pid = process.pid\n'],
  [
    "'setTimeout'",
    'services/orders/src/saga/domain/timer.ts',
    'export const t = () => setTimeout(() => 1, 1)\n',
  ],
  ["'crypto'", 'services/orders/src/domain/id.ts', 'export const id = () => crypto.randomUUID()\n'],
  [
    "'globalThis'",
    'services/orders/src/domain/global.ts',
    'export const now = () => globalThis.Date.now()\n',
  ],
  ["'console'", 'services/orders/src/domain/log.ts', "export const log = () => console.log('x')\n"],
  ['no-async-await', 'services/orders/src/saga/domain/wait.ts', 'export const wait = async () => 1\n'],

  ['consistent-type-imports', 'services/orders/src/inline.ts', "export type Pool = import('pg').Pool\n"],
  ['no-unassigned-import', 'services/orders/src/domain/effect.ts', "import 'pg'\n"],
  [
    'no-require-imports',
    'services/orders/src/old.ts',
    "import fs = require('node:fs')\nexport const a = fs\n",
  ],
  [
    'no-cycle',
    'services/orders/src/domain/one.ts',
    "import { two } from './two.ts'\nexport const one = () => two\n",
  ],
  [
    'no-cycle',
    'services/orders/src/domain/two.ts',
    "import { one } from './one.ts'\nexport const two = () => one\n",
  ],
  ['no-console', 'packages/kit/src/print.ts', "console.log('x')\n"],
  ['no-explicit-any', 'packages/kit/src/any.ts', 'export const a: any = 1\n'],
  [
    'no-unsafe-return',
    'packages/kit/src/leak.ts',
    'export const a = (text: string): number => JSON.parse(text)\n',
  ],
  ['no-floating-promises', 'packages/kit/src/float.ts', 'const f = async () => 1\nf()\n'],
  [
    'no-misused-promises',
    'packages/kit/src/misuse.ts',
    'export const f = () => [1].forEach(async () => {})\n',
  ],
  ['await-thenable', 'packages/kit/src/await.ts', 'export const f = async () => await 1\n'],
  ['no-unnecessary-condition', 'packages/kit/src/always.ts', 'export const f = (a: string[]) => a?.length\n'],
  [
    'switch-exhaustiveness-check',
    'packages/kit/src/switch.ts',
    "export const f = (a: 'x' | 'y') => {\n  switch (a) {\n    case 'x':\n      return 1\n  }\n  return 2\n}\n",
  ],
  [
    'no-focused-tests',
    'packages/kit/src/a.unit.test.ts',
    "import { test } from 'vitest'\ntest.only('a', () => {})\n",
  ],
  ['max-lines', 'packages/kit/src/long.ts', '// line\n'.repeat(301)],
  ['max-lines', 'packages/kit/src/long.unit.test.ts', '// line\n'.repeat(501)],
  [
    'max-lines-per-function',
    'packages/kit/src/tall.ts',
    `export const f = () => {\n${'  f()\n'.repeat(51)}}\n`,
  ],
  [
    'max-params',
    'packages/kit/src/wide.ts',
    'export const f = (a: 1, b: 2, c: 3, d: 4, e: 5) => [a, b, c, d, e]\n',
  ],
  [
    'max-depth',
    'packages/kit/src/deep.ts',
    `export function f(a: number) {\n${'if (a > 1) {\n'.repeat(4)}f(a)${'}'.repeat(5)}\n`,
  ],
  [
    'complexity',
    'packages/kit/src/complex.ts',
    `export function f(a: number) {\n${'if (a > 1) f(a)\n'.repeat(12)}}\n`,
  ],
]

const ALLOWED: [file: string, code: string][] = [
  ['packages/contracts/src/fine.ts', from('zod') + from('#/sub/a.ts')],
  ['packages/contracts/src/operations/fine.ts', from('#/values.ts') + from('@platter/contracts')],
  ['packages/contracts/src/fine.unit.test.ts', from('vitest') + from('fast-check') + from('#/fine.ts')],
  [
    'apps/console/src/fine.tsx',
    ['preact', 'preact/hooks', '@preact/signals', '#/a.ts', '#/b.ts'].map(from).join('') +
      typeFrom('@platter/contracts'),
  ],
  ['apps/console/src/fine.unit.test.ts', from('vitest') + from('#/fine.ts')],
  ['packages/bus/src/fine.ts', from('amqplib') + from('@platter/contracts') + from('#/fine2.ts')],
  [
    'packages/kit/src/fine.ts',
    ['fastify', 'kysely', 'pg', 'ioredis', 'undici', '@platter/bus'].map(from).join(''),
  ],
  ['packages/kit/src/lifecycle/config.ts', 'export const { env } = process\nexport const a = process.env\n'],
  ['packages/testkit/src/fine.ts', `${from('amqplib')}${from('pg')}export const a = process.env\n`],
  ['services/orders/src/main.ts', from('#/wire.ts') + from('#/config.ts')],
  ['services/orders/src/config.ts', from('@platter/kit')],
  [
    'services/orders/src/wire.ts',
    ['kysely', 'pg', 'ioredis', '#/routes/fine.ts', '#/handlers/fine.ts'].map(from).join(''),
  ],
  [
    'services/orders/src/routes/fine.ts',
    ['#/store/a.ts', '#/domain/a.ts', '#/x.ts', '@platter/bus'].map(from).join(''),
  ],
  [
    'services/orders/src/handlers/fine.ts',
    ['#/store/a.ts', '#/saga/a.ts', '@platter/kit'].map(from).join(''),
  ],
  [
    'services/orders/src/handlers/fine.stack.test.ts',
    ['#/handlers/fine.ts', '#/wire.ts', 'kysely', '@platter/testkit'].map(from).join(''),
  ],
  [
    'services/orders/src/store/fine.ts',
    ['#/store/a.ts', 'kysely', 'ioredis', '#/domain/a.ts', '@platter/kit'].map(from).join(''),
  ],
  ['services/orders/src/outside/fine.ts', from('undici') + from('standardwebhooks') + from('stripe')],
  ['services/orders/src/domain/fine.ts', from('#/domain/a.ts') + typeFrom('@platter/contracts/values')],
  [
    'services/orders/src/domain/fine.unit.test.ts',
    'export const f = async () => await Promise.resolve(Date.now())\n',
  ],
  [
    'services/orders/src/saga/domain/fine.ts',
    from('#/saga/domain/a.ts') + from('#/domain/a.ts') + from('@platter/contracts'),
  ],
  [
    'services/orders/src/saga/orchestrator.ts',
    `${from('#/store/a.ts')}${from('@platter/bus')}export const f = async () => await Promise.resolve(Date.now())\n`,
  ],
  ['services/orders/src/delivery/outside/fine.ts', from('undici') + from('#/store/a.ts')],
  [
    'services/orders/src/saga/domain/fine.unit.test.ts',
    ['vitest', '@platter/testkit', '#/saga/domain/fine.ts'].map(from).join(''),
  ],
  ['services/gateway/src/routes/fine.ts', from('fastify') + from('undici') + from('#/auth.ts')],
  ['services/gateway/src/auth.ts', from('undici')],
  ['dev/fine.ts', `${from('kysely')}${from('../services/orders/src/main.ts')}console.log(process.env)\n`],
  ['apps/cli/src/target.ts', `${from('@platter/contracts')}export const a = process.env\n`],
  ['tests/plans/fine.ts', from('pg')],
  ['tests/e2e/fine.test.ts', `${from('@platter/contracts')}export const a = process.env\n`],
]

type Diagnostic = { filename: string; code: string; message: string; help?: string }
let found: Map<string, string>
let filesChecked = 0
const home = mkdtempSync(join(tmpdir(), 'platter-policy-'))

function put(file: string, content: string) {
  mkdirSync(dirname(join(home, file)), { recursive: true })
  writeFileSync(join(home, file), content)
}

/** Runs oxlint. It exits with 1 as soon as it finds a violation, which must happen here. */
function lint(): string {
  try {
    const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
    return execFileSync(process.execPath, [oxlint, '--format=json'], { cwd: home, encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

beforeAll(() => {
  const files = new Map<string, string>()
  for (const [, file, code] of FORBIDDEN) files.set(file, code)
  for (const [file, code] of ALLOWED) files.set(file, code)
  for (const [file, code] of files) put(file, code)
  for (const name of ['accounts', 'catalog', 'payments'])
    mkdirSync(join(home, 'services', name), { recursive: true })
  for (const folder of ['packages/kit', 'services/orders'])
    put(`${folder}/tsconfig.json`, '{ "extends": "../../tsconfig.json", "include": ["."] }')
  put('package.json', '{ "type": "module" }')
  for (const file of ['oxlint.config.ts', 'tsconfig.json']) cpSync(join(root, file), join(home, file))
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))

  const report = JSON.parse(lint()) as { diagnostics: Diagnostic[]; number_of_files: number }
  filesChecked = report.number_of_files
  found = new Map()
  for (const { filename, code, message, help } of report.diagnostics)
    found.set(filename, `${found.get(filename) ?? ''}${code} ${message} ${help ?? ''}\n`)
}, 60_000)

afterAll(() => rmSync(home, { recursive: true }))

test('the linter reads the planted files', () => {
  expect(filesChecked).toBeGreaterThan(FORBIDDEN.length)
})

describe('oxlint on a planted violation', () => {
  test.each(FORBIDDEN)('reports %s in %s', (rule, file) => {
    expect(found.get(file) ?? 'nothing found').toContain(rule)
  })
})

describe('oxlint on permitted code', () => {
  test.each(ALLOWED)('reports no violation in %s', (file) => {
    expect(found.get(file) ?? '').toBe('')
  })
})
