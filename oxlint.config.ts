import { readdirSync } from 'node:fs'
import { defineConfig, type OxlintOverride } from 'oxlint'

/*
 * Who may import what, and the house numbers. tests/policy/boundaries.test.ts plants one violation per rule and expects
 * each to be named. That canary is needed: oxlint silently drops a regex that it cannot compile (Rust syntax, no
 * lookahead), and of several matching overrides the last one replaces the others: every zone carries its whole list.
 */

type Pattern = { message: string; regex?: string; group?: string[]; allowTypeImports?: boolean }
/** `inTests` is what the *.test.ts files of the same zone get; null lifts the ban there. */
type Ban = { here: Pattern; inTests: Pattern | null }

const foldersOf = (parent: string) => readdirSync(new URL(parent, import.meta.url)).join('|')
const services = foldersOf('services')
const packages = foldersOf('packages')

const everywhere = (pattern: Pattern): Ban => ({ here: pattern, inTests: pattern })
const outsideTests = ({ here }: Ban): Ban => ({ here, inTests: null })
const ban = (name: string, regex: string, advice: string) =>
  everywhere({ regex, message: `${name}: ${advice}` })

// Libraries that have a home -------------------------------------------------------------------------------

const LIBRARIES = {
  amqp: ban('broker-lives-in-bus', '^amqplib(/|$)', 'Publish, consume and ask through @platter/bus.'),
  sql: ban('sql-lives-in-store', '^(kysely|pg)(/|$)', 'Call a function of src/store instead.'),
  http: ban(
    'http-lives-at-the-edge',
    '^(fastify(/|$)|@fastify/)',
    'Use the server and the types of @platter/kit.',
  ),
  redis: ban('redis-lives-in-store', '^ioredis(/|$)', 'Put the cache behind a function of src/store.'),
  calls: ban(
    'calls-live-outside',
    '^undici(/|$)',
    'Call third parties from src/outside, services through @platter/kit.',
  ),
  stripe: outsideTests(ban('stripe-lives-outside', '^stripe(/|$)', 'Translate its result in src/outside.')),
}
type Library = keyof typeof LIBRARIES

// Bans -----------------------------------------------------------------------------------------------------

const ENVIRONMENT =
  'environment-is-config: packages/kit/src/lifecycle/config.ts reads it once; take the value from your Config.'
const NO_PROCESS_MODULE = everywhere({ regex: '^(node:)?process$', message: ENVIRONMENT })

const BY_NAME = ban(
  'packages-by-name',
  String.raw`(^|/)\.\./packages/|\.\./\.\./(${packages})(/|$)`,
  'Import a package by its name, @platter/…',
)
const BY_ALIAS = ban(
  'imports-by-alias',
  String.raw`^\.{1,2}/.*\.tsx?$`,
  'Import files of this package by #/.',
)
const TESTKIT = outsideTests(
  ban('testkit-is-for-tests', '^@platter/testkit(/|$)', 'Only tests may import it.'),
)
const INTO_SERVICE = String.raw`^@platter/(${services}|processor|simulators)(/|$)|(^|/)\.\./services/`
const PACKAGE_TO_SERVICE = ban('package-to-service', INTO_SERVICE, 'Move what both need into the package.')
const SERVICE_TO_SERVICE = ban(
  'service-to-service',
  String.raw`${INTO_SERVICE}|\.\./\.\./(${services})(/|$)`,
  'Send a message or request that packages/contracts declares. Inside one service import by #/.',
)
const THROUGH_THE_GATEWAY = ban(
  'e2e-uses-the-gateway',
  INTO_SERVICE,
  'Ask the gateway over HTTP, as a client would.',
)
const THIN_CLIENT = ban('thin-client', `${INTO_SERVICE}|^@platter/(bus|kit|testkit)`, 'Ask the gateway.')
const NO_ROOT = outsideTests(
  ban(
    'root-is-not-imported',
    String.raw`^(\.{1,2}|#|@platter/[^/]+)(/.*)?/(main|wire)(\.ts)?$`,
    'wire.ts imports you and passes what you need.',
  ),
)
const STORE_BELOW = ban(
  'store-below-handlers',
  '^(#|[.]{1,2})/(.*/)?(handlers|routes|outside|placing|saga|delivery|reading|operating)(/|$)',
  'The caller passes it in; a store knows only SQL, domain and contracts.',
)
const STAND_ALONE = outsideTests(
  ban(
    'handlers-stand-alone',
    '^[.]/|^(#|[.]{1,2})/(.*/)?(routes|handlers)(/|$)',
    'Move what two of them share into domain/, store/ or a file in src/.',
  ),
)

/** Everything but the listed specifiers (gitignore patterns), so a new library is forbidden until admitted; and no `..`. */
function only(name: string, advice: string, allowed: string[], allowTypeImports = false): Ban {
  const except = (list: string[]): Pattern => ({
    group: ['*', ...list.map((pattern) => `!${pattern}`), '**/../**'],
    message: `${name}: ${advice}`,
    allowTypeImports,
  })
  return { here: except(allowed), inTests: except([...allowed, ...TEST_TOOLS]) }
}
const TEST_TOOLS = ['vitest', 'fast-check', '@platter/testkit', '@platter/testkit/**']
const CONTRACTS = ['@platter/contracts', '@platter/contracts/**']
const PURE_DOMAIN = only(
  'domain-is-pure',
  'Pass time, ids and rows in; import this domain and contracts only.',
  ['#/domain/**', ...CONTRACTS],
)
const PURE_SAGA = only(
  'saga-is-pure',
  'Return what to do; import this saga, its domain and contracts only.',
  ['#/saga/domain/**', '#/domain/**', ...CONTRACTS],
)
const PAGE = ['#/**', 'preact', 'preact/**', '@preact/signals']
const ONLY_PREACT = only('console-is-a-page', 'Of anything but Preact import types only.', PAGE, true)
const ONLY_ZOD = only('contracts-know-nothing', 'Contracts import contracts and zod only.', [
  '#/**',
  'zod',
  'zod/**',
  ...CONTRACTS,
])

// Zones ----------------------------------------------------------------------------------------------------

function restrict(files: string, patterns: Pattern[]): OxlintOverride {
  return { files: [files], rules: { 'eslint/no-restricted-imports': ['error', { patterns }] } }
}

/** The files of one zone, then its tests. A stack test talks to real servers, so it may look at the rows. */
function zone(files: string, bans: Ban[], may: Library[] = []): OxlintOverride[] {
  const names = Object.keys(LIBRARIES) as Library[]
  const without = (allowed: Library[]) => [
    ...bans,
    ...names.filter((name) => !allowed.includes(name)).map((name) => LIBRARIES[name]),
  ]
  const inTests = (allowed: Library[]) => without(allowed).flatMap((one) => one.inTests ?? [])
  return [
    restrict(
      files,
      without(may).map((one) => one.here),
    ),
    restrict(`${files}/*.test.ts`, inTests(may)),
    restrict(`${files}/*.stack.test.ts`, inTests([...may, 'sql'])),
  ]
}

const PACKAGE = [NO_PROCESS_MODULE, PACKAGE_TO_SERVICE, BY_NAME, BY_ALIAS, TESTKIT]
const MAIN = [NO_PROCESS_MODULE, SERVICE_TO_SERVICE, BY_NAME, BY_ALIAS, TESTKIT]
const SERVICE = [...MAIN, NO_ROOT]

/** The same part of every service; in the gateway it may use the HTTP libraries as well. */
const part = (inner: string, bans: Ban[], may: Library[] = []) => [
  ...zone(`services/*/${inner}`, bans, may),
  ...zone(`services/gateway/${inner}`, bans, [...may, 'http', 'calls']),
]

const boundaries: OxlintOverride[] = [
  ...zone('**', [NO_ROOT]),
  ...zone('dev/**', [], ['sql']),
  ...zone('tests/**', []),
  ...zone('tests/e2e/**', [THROUGH_THE_GATEWAY]),
  ...zone('tests/plans/**', [], ['sql']),
  ...zone('tests/bench/**', [], ['amqp', 'sql', 'http', 'calls']),
  ...zone('apps/cli/**', [THIN_CLIENT, NO_ROOT, BY_NAME, BY_ALIAS]),
  ...zone('packages/*/**', PACKAGE),
  ...zone('packages/bus/**', PACKAGE, ['amqp']),
  ...zone('packages/contracts/**', [...PACKAGE, ONLY_ZOD]),
  ...zone('packages/backup/**', PACKAGE, ['sql']),
  ...zone('packages/kit/**', PACKAGE, ['sql', 'http', 'redis', 'calls']),
  ...zone(
    'packages/kit/src/lifecycle/config.ts',
    PACKAGE.filter((one) => one !== NO_PROCESS_MODULE),
  ),
  ...zone('packages/testkit/**', [PACKAGE_TO_SERVICE, BY_NAME, BY_ALIAS], ['amqp', 'sql']),
  ...zone('apps/console/src/**', [ONLY_PREACT, BY_ALIAS]),
  ...part('**', SERVICE),
  ...part('src/main.ts', MAIN),
  ...part('src/wire.ts', SERVICE, ['sql', 'redis']),
  ...part('src/store/**', [...SERVICE, STORE_BELOW], ['sql', 'redis']),
  ...part('src/**/outside/**', SERVICE, ['calls', 'stripe']),
  ...part('src/testing/**', SERVICE, ['stripe']),
  ...part('src/**/routes/**', [...SERVICE, STAND_ALONE]),
  ...part('src/**/handlers/**', [...SERVICE, STAND_ALONE]),
  ...part('src/domain/**', [...SERVICE, PURE_DOMAIN]),
  ...part('src/saga/domain/**', [...SERVICE, PURE_SAGA]),
]

// Ambient things, which need no import ---------------------------------------------------------------------

const PURE = ['services/*/src/domain/**', 'services/*/src/saga/domain/**']
const CODE_LINES = { skipBlankLines: true, skipComments: true }
const TESTS = ['**/*.test.ts', 'tests/**']
const CONFIG = ['packages/kit/src/lifecycle/config.ts', 'apps/cli/src/target*.ts', 'vitest.config.ts']
const MAY_READ_ENVIRONMENT = [...CONFIG, 'packages/testkit/**', 'dev/**', 'tests/**']
const processEnv = { object: 'process', property: 'env', message: ENVIRONMENT }

const SQL =
  'sql-has-parameters: a value goes in as ${value}; a name of a column only when it stands in our source.'
const rawSql = ['raw', 'lit', 'ref'].map((property) => ({ object: 'sql', property, message: SQL }))

const doings = 'fetch process setTimeout setInterval setImmediate queueMicrotask crypto console'.split(' ')
const ambient: OxlintOverride[] = [
  { files: MAY_READ_ENVIRONMENT, rules: { 'eslint/no-restricted-properties': 'off' } },
  {
    files: PURE,
    excludeFiles: ['**/*.test.ts'],
    rules: {
      'oxc/no-async-await': 'error',
      'eslint/no-restricted-globals': [
        'error',
        ...[...doings, 'performance', 'globalThis'].map((name) => ({
          name,
          message: 'pure-middle: the edges do I/O; take the result as an argument.',
        })),
      ],
      'eslint/no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'pure-middle: take the time as an argument.' },
        { object: 'Math', property: 'random', message: 'pure-middle: take the value as an argument.' },
      ],
    },
  },
]

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'node', 'vitest'],
  ignorePatterns: ['node_modules', '.run', '/docs'],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    'eslint/max-lines': ['error', { max: 300 }],
    'eslint/max-lines-per-function': ['error', { ...CODE_LINES, max: 50 }],
    'eslint/complexity': ['error', { max: 12 }],
    'eslint/max-depth': ['error', { max: 3 }],
    'eslint/max-params': ['error', { max: 4 }],
    // Contradicts switches that are exhaustive; TypeScript's noImplicitReturns holds the rule.
    'typescript/consistent-return': 'off',
    'eslint/eqeqeq': 'error',
    'eslint/no-console': 'error',
    'eslint/no-var': 'error',
    'eslint/prefer-const': 'error',
    'eslint/no-restricted-properties': ['error', processEnv, ...rawSql],
    // Types too: a circle has no first file for a reader.
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'unicorn/no-abusive-eslint-disable': 'error',
    'unicorn/prefer-node-protocol': 'error',

    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-exports': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-deprecated': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-require-imports': 'error',
    'typescript/no-unnecessary-condition': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/prefer-promise-reject-errors': 'error',
    'typescript/restrict-plus-operands': 'error',
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/use-unknown-in-catch-callback-variable': 'error',

    // Would forbid every brand (`value as Cents`); what leaks out of `any` is caught by no-unsafe-* above.
    'typescript/no-unsafe-type-assertion': 'off',
    // `import pg from 'pg'; pg.Pool` is how a CommonJS package is imported.
    'import/no-named-as-default-member': 'off',
    // Written for Express: Fastify's handlers are async on purpose.
    'oxc/no-async-endpoint-handlers': 'off',
  },
  overrides: [
    ...boundaries,
    ...ambient,
    { files: ['apps/console/**'], plugins: ['jsx-a11y'], rules: { 'jsx-a11y/prefer-tag-over-role': 'off' } },
    { files: ['dev/**', 'bench/**'], rules: { 'eslint/no-console': 'off' } },
    {
      // A table of contents is as long as the service has parts.
      files: ['services/*/src/wire.ts'],
      rules: { 'eslint/max-lines-per-function': ['error', { ...CODE_LINES, max: 80 }] },
    },
    {
      files: TESTS,
      rules: {
        'eslint/max-lines': ['error', { max: 500 }],
        'eslint/max-lines-per-function': 'off',
        // The stores of the simulation are a circle of types, around its state.
        'import/no-cycle': 'error',
        'typescript/no-non-null-assertion': 'off',
      },
    },
  ],
})
