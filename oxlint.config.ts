import { readdirSync } from 'node:fs'
import { defineConfig, type OxlintOverride } from 'oxlint'

/*
 * Permitted imports, and limits of size. tests/policy/boundaries.test.ts plants a violation of each rule: oxlint silently ignores
 * a regex that it cannot compile (Rust syntax, no lookahead). Of several matching overrides only the last one applies.
 */

type Pattern = { message: string; regex?: string; group?: string[]; allowTypeImports?: boolean }
/** `inTests` applies to the *.test.ts files of the zone. With null they have no ban. */
type Ban = { here: Pattern; inTests: Pattern | null }

const foldersOf = (parent: string) => readdirSync(new URL(parent, import.meta.url)).join('|')
const services = foldersOf('services')
const packages = foldersOf('packages')

const everywhere = (pattern: Pattern): Ban => ({ here: pattern, inTests: pattern })
const outsideTests = ({ here }: Ban): Ban => ({ here, inTests: null })
const ban = (name: string, regex: string, advice: string) =>
  everywhere({ regex, message: `${name}: ${advice}` })

// Libraries with one permitted place -----------------------------------------------------------------------

const LIBRARIES = {
  amqp: ban('amqplib-in-bus-only', '^amqplib(/|$)', 'Send messages through @platter/bus.'),
  sql: ban('sql-in-store-only', '^(kysely|pg)(/|$)', 'Call a function of src/store instead.'),
  http: ban(
    'fastify-in-kit-only',
    '^(fastify(/|$)|@fastify/)',
    'Use the server and the types of @platter/kit.',
  ),
  redis: ban('redis-in-store-only', '^ioredis(/|$)', 'Put the cache behind a function of src/store.'),
  calls: ban(
    'undici-in-outside-only',
    '^undici(/|$)',
    'Call third parties from src/outside, and services through @platter/kit.',
  ),
  stripe: outsideTests(ban('stripe-in-outside-only', '^stripe(/|$)', 'Translate its result in src/outside.')),
}
type Library = keyof typeof LIBRARIES

// Bans -----------------------------------------------------------------------------------------------------

const ENVIRONMENT =
  'environment-in-config-only: packages/kit/src/lifecycle/config.ts reads it once. Use the value of the Config.'
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
  ban('testkit-is-for-tests', '(^@platter/testkit|^#/(.*/)?testing)(/|$)', 'Import it in tests only.'),
)
const INTO_SERVICE = String.raw`^@platter/(${services}|processor|simulators)(/|$)|(^|/)\.\./services/`
const PACKAGE_TO_SERVICE = ban('package-to-service', INTO_SERVICE, 'Move shared code into the package.')
const SERVICE_TO_SERVICE = ban(
  'service-to-service',
  String.raw`${INTO_SERVICE}|\.\./\.\./(${services})(/|$)`,
  'Send a message or request that packages/contracts declares. Within a service import by #/.',
)
const THROUGH_THE_GATEWAY = ban(
  'e2e-uses-the-gateway',
  INTO_SERVICE,
  'Send requests to the gateway over HTTP, like a client.',
)
const THIN_CLIENT = ban(
  'cli-uses-the-gateway',
  `${INTO_SERVICE}|^@platter/(bus|kit)(/|$)`,
  'Call the gateway.',
)
const NO_ROOT = outsideTests(
  ban(
    'wire-is-not-imported',
    String.raw`^(\.{1,2}|#|@platter/[^/]+)(/.*)?/(main|wire)(\.ts)?$`,
    'wire.ts imports all other files and passes them their dependencies.',
  ),
)
const STORE_BELOW = ban(
  'store-below-handlers',
  '^(#|[.]{1,2})/(.*/)?(handlers|routes|outside|placing|saga|delivery|reading|operating)(/|$)',
  'A store imports SQL, domain and contracts only. Its caller passes the rest.',
)
const STAND_ALONE = outsideTests(
  ban(
    'handlers-are-independent',
    '^[.]/|^(#|[.]{1,2})/(.*/)?(routes|handlers)(/|$)',
    'Move shared code into domain/, store/ or a file in src/.',
  ),
)

/** Bans all specifiers except the listed ones (gitignore patterns), and `..`. A new library is banned until it is listed. */
function only(name: string, advice: string, allowed: string[], allowTypeImports = false): Ban {
  const except = (list: string[]): Pattern => ({
    group: ['*', ...list.map((pattern) => `!${pattern}`), '**/../**'],
    message: `${name}: ${advice}`,
    allowTypeImports,
  })
  return { here: except(allowed), inTests: except([...allowed, ...TEST_TOOLS]) }
}
const TEST_TOOLS = ['vitest', 'fast-check', '@platter/testkit', '@platter/testkit/**', '#/testing/**']
const CONTRACTS = ['@platter/contracts', '@platter/contracts/**']
const PURE_DOMAIN = only('domain-is-pure', 'Import this domain and contracts only.', [
  '#/domain/**',
  ...CONTRACTS,
])
const PURE_SAGA = only('saga-is-pure', 'Import this saga, its domain and contracts only.', [
  '#/saga/domain/**',
  '#/domain/**',
  ...CONTRACTS,
])
const PAGE = ['#/**', 'preact', 'preact/**', '@preact/signals']
const ONLY_PREACT = only('console-imports-preact-only', 'Import Preact, or types only.', PAGE, true)
const ONLY_ZOD = only('contracts-import-zod-only', 'Import contracts and zod only.', [
  '#/**',
  'zod',
  'zod/**',
  ...CONTRACTS,
])

// Zones ----------------------------------------------------------------------------------------------------

function restrict(files: string, patterns: Pattern[]): OxlintOverride {
  return { files: [files], rules: { 'eslint/no-restricted-imports': ['error', { patterns }] } }
}

/** The files of one zone, then its tests. A stack test has real servers, and may read their rows. */
function zone(files: string, bans: Ban[], allowed: Library[] = []): OxlintOverride[] {
  const names = Object.keys(LIBRARIES) as Library[]
  const without = (permitted: Library[]) => [
    ...bans,
    ...names.filter((name) => !permitted.includes(name)).map((name) => LIBRARIES[name]),
  ]
  const inTests = (permitted: Library[]) => without(permitted).flatMap((one) => one.inTests ?? [])
  return [
    restrict(
      files,
      without(allowed).map((one) => one.here),
    ),
    restrict(`${files}/*.test.ts`, inTests(allowed)),
    restrict(`${files}/*.stack.test.ts`, inTests([...allowed, 'sql'])),
  ]
}

const PACKAGE = [NO_PROCESS_MODULE, PACKAGE_TO_SERVICE, BY_NAME, BY_ALIAS, TESTKIT]
const MAIN = [NO_PROCESS_MODULE, SERVICE_TO_SERVICE, BY_NAME, BY_ALIAS, TESTKIT]
const SERVICE = [...MAIN, NO_ROOT]

/** The same folder of each service. In the gateway it may import the HTTP libraries as well. */
const part = (inner: string, bans: Ban[], allowed: Library[] = []) => [
  ...zone(`services/*/${inner}`, bans, allowed),
  ...zone(`services/gateway/${inner}`, bans, [...allowed, 'http', 'calls']),
]

const boundaries: OxlintOverride[] = [
  ...zone('**', [NO_ROOT]),
  ...zone('dev/**', [], ['sql']),
  ...zone('tests/**', []),
  ...zone('tests/e2e/**', [THROUGH_THE_GATEWAY]),
  ...zone('tests/plans/**', [], ['sql']),
  ...zone('tests/bench/**', [], ['amqp', 'sql', 'http', 'calls']),
  ...zone('tests/{support/load,go-live}/**', [], ['calls']),
  ...zone('apps/cli/**', [THIN_CLIENT, NO_ROOT, BY_NAME, BY_ALIAS, TESTKIT]),
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
  ...part('src/testing/**', [...MAIN.filter((one) => one !== TESTKIT), NO_ROOT], ['stripe']),
  ...part('src/**/routes/**', [...SERVICE, STAND_ALONE]),
  ...part('src/**/handlers/**', [...SERVICE, STAND_ALONE]),
  ...part('src/domain/**', [...SERVICE, PURE_DOMAIN]),
  ...part('src/saga/domain/**', [...SERVICE, PURE_SAGA]),
]

// Globals, which need no import ----------------------------------------------------------------------------

const PURE = ['services/*/src/domain/**', 'services/*/src/saga/domain/**']
const CODE_LINES = { skipBlankLines: true, skipComments: true }
const TESTS = ['**/*.test.ts', 'tests/**']
const CONFIG = ['packages/kit/src/lifecycle/config.ts', 'apps/cli/src/target*.ts', 'vitest.config.ts']
const MAY_READ_ENVIRONMENT = [...CONFIG, 'packages/testkit/**', 'dev/**', 'tests/**']
const processEnv = { object: 'process', property: 'env', message: ENVIRONMENT }

const SQL = 'sql-has-parameters: pass a value as ${value}. A column name must be a constant of our source.'
const rawSql = ['raw', 'lit', 'ref'].map((property) => ({ object: 'sql', property, message: SQL }))

const EFFECTS = 'fetch process setTimeout setInterval setImmediate queueMicrotask crypto console'.split(' ')
const ambient: OxlintOverride[] = [
  { files: MAY_READ_ENVIRONMENT, rules: { 'eslint/no-restricted-properties': 'off' } },
  {
    files: PURE,
    excludeFiles: ['**/*.test.ts'],
    rules: {
      'oxc/no-async-await': 'error',
      'eslint/no-restricted-globals': [
        'error',
        ...[...EFFECTS, 'performance', 'globalThis'].map((name) => ({
          name,
          message: 'pure-domain: the caller does I/O. Receive the result as an argument.',
        })),
      ],
      'eslint/no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'pure-domain: receive the time as an argument.' },
        { object: 'Math', property: 'random', message: 'pure-domain: receive the value as an argument.' },
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
    'vitest/expect-expect': ['error', { assertFunctionNames: ['expect*'] }],
    // It reports exhaustive switches. TypeScript's noImplicitReturns enforces the rule.
    'typescript/consistent-return': 'off',
    'eslint/eqeqeq': 'error',
    'eslint/no-console': 'error',
    'eslint/no-var': 'error',
    'eslint/prefer-const': 'error',
    'eslint/no-restricted-properties': ['error', processEnv, ...rawSql],
    // Types too: a reader finds no first file in a circle.
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
    // It would ban every brand (`value as Cents`). The rules no-unsafe-* above report values of type `any`.
    'typescript/no-unsafe-type-assertion': 'off',
    // A CommonJS package is imported as `import pg from 'pg'; pg.Pool`.
    'import/no-named-as-default-member': 'off',
    // A rule for Express. Handlers of Fastify may be async.
    'oxc/no-async-endpoint-handlers': 'off',
  },
  overrides: [
    ...boundaries,
    ...ambient,
    { files: ['apps/console/**'], plugins: ['jsx-a11y'], rules: { 'jsx-a11y/prefer-tag-over-role': 'off' } },
    { files: ['dev/**'], rules: { 'eslint/no-console': 'off' } },
    {
      // It lists all parts of a service.
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
