import { z } from 'zod'
import { secretFaults } from '#/security/known-secrets.ts'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
const exporter = (what: string) =>
  z
    .enum(['otlp', 'none'])
    .default('otlp')
    .describe(`Whether ${what} are sent to OTEL_EXPORTER_OTLP_ENDPOINT.`)

const every = (what: string, fallback: number) =>
  z.coerce.number().int().min(100).default(fallback).describe(`${what} are sent so often; milliseconds.`)

/** The names and meanings are OpenTelemetry's. Its exporters read further OTEL_EXPORTER_OTLP_* themselves. */
const telemetryConfig = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe(
      'Where traces, metrics and logs go: base URL of an OTLP receiver over HTTP (port 4318), which takes JSON. Without it nothing is measured.',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers)
    .default('parentbased_traceidratio')
    .describe('Which traces are kept. `npm start` keeps all: parentbased_always_on.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe(
      'The share of traces that a sampler with a ratio keeps. What fails on our side is always kept.',
    ),
  OTEL_METRICS_EXPORTER: exporter('metrics'),
  OTEL_LOGS_EXPORTER: exporter('logs'),
  OTEL_METRIC_EXPORT_INTERVAL: every('Metrics', 60_000),
  OTEL_BSP_SCHEDULE_DELAY: every('Spans', 5_000),
  OTEL_BLRP_SCHEDULE_DELAY: every('Log records', 5_000),
}
const TelemetryConfig = z.object(telemetryConfig)
export type TelemetryConfig = z.output<typeof TelemetryConfig>

/** What every service is configured by. Each variable says what it is for: the documentation is made from it. */
export const serviceConfig = {
  NODE_ENV: z
    .string()
    .default('production')
    .describe(
      'Unless this is `development`, a service does not start with a secret that is empty, short or publicly known, nor with a `DEFAULT_RESTAURANT_LINK` other than `console`. Only test orders reach a webhook with a public secret.',
    ),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on; a private network only.'),
  PORT: z.coerce.number().int().min(0).max(65_535).describe('Port to listen on; 0 takes any free one.'),
  TLS_DIRECTORY: z
    .string()
    .optional()
    .describe(
      'Folder with `tls.crt` and `tls.key` (PEM), as cert-manager names them: the service then speaks https only. Renewed files apply to new connections within a minute. Callers need `https://` in their URLs, and the authority in `NODE_EXTRA_CA_CERTS`.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Least severe level that is logged.'),
  INTERNAL_SECRET: z
    .string()
    .min(32)
    .describe(
      'Signs the principal that travels between our services (HMAC-SHA256); the same for all, 32 characters or more.',
    ),
  INTERNAL_SECRET_OTHER: z
    .string()
    .min(32)
    .optional()
    .describe(
      'A further secret that is taken and never signed with: the next INTERNAL_SECRET, then the last one, while it is changed (docs/operations.md, "Rotate keys and secrets").',
    ),
  ...telemetryConfig,
}

/** For the services that card data reaches. Both variables have the same values in all of them. */
export const cardConfig = {
  PROCESSOR: z
    .enum(['development', 'stripe', 'none'])
    .default('development')
    .describe(
      'The payment processor: the development one, which moves no money, Stripe, or `none` for cash only. With `none`, each card is refused (`payment-not-possible`).',
    ),
  // An empty value is that of a Compose file whose .env does not set it.
  RAW_CARDS: z
    .enum(['accept', 'refuse', ''])
    .optional()
    .describe(
      'Whether clients may send card numbers: `accept`, or `refuse`, with which a body that contains one is 422 at the gateway and is not passed on. Without it: accept with PROCESSOR=development, and refuse with any other.',
    ),
}

type CardConfig = z.output<z.ZodObject<typeof cardConfig>>

/** Without RAW_CARDS, a real processor gets tokens only. */
export const acceptsRawCards = ({ PROCESSOR, RAW_CARDS }: CardConfig): boolean =>
  (RAW_CARDS || (PROCESSOR === 'development' ? 'accept' : 'refuse')) === 'accept'

/** Addresses and CIDR ranges, separated by commas; none when empty. */
export const networkList = z
  .string()
  .default('')
  .transform((list) =>
    list
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  )
  .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])))

/** For services that keep rows. */
export const postgresConfig = {
  DATABASE_URL: z
    .url()
    .describe("PostgreSQL, as the service's own role; its schema has the name of that role."),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(2)
    .max(100)
    .default(10)
    .describe('Connections to PostgreSQL a process keeps at most.'),
  DATABASE_STATEMENTS: z
    .enum(['named', 'unnamed'])
    .default('named')
    .describe(
      'Whether statements are prepared once for each connection. `unnamed` is for PgBouncer in transaction mode before 1.21, and for newer ones without `max_prepared_statements`.',
    ),
}

const urlList = z
  .string()
  .transform((urls) => urls.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url()).min(1))

/** One or several replicas of a service: base URLs, separated by commas. */
export const replicaUrls = (of: string) =>
  urlList.describe(`Where ${of} is: base URL, or those of its replicas separated by commas.`)

/** For services that publish or consume messages. */
export const amqpConfig = {
  AMQP_URL: urlList.describe(
    "RabbitMQ, as the service's own user where there is one; or several nodes of a cluster, separated by commas.",
  ),
  BUS_QUEUES: z
    .enum(['classic', 'quorum'])
    .default('classic')
    .describe(
      'Type of the queues for commands and questions. `classic` is cheaper; such a queue is unavailable while its node is. `quorum` is for a cluster that has to survive the loss of a node.',
    ),
}

/**
 * Reads the environment once. Throws with every variable that is missing or wrong, by name; never with a
 * value, which may be a secret. Publicly known secrets are allowed in development only, and the default is production.
 */
export function readConfig<S extends z.ZodType>(
  schema: S,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<S> {
  const parsed = schema.safeParse(environment)
  if (!parsed.success)
    throw unusable(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
  const weak =
    environment['NODE_ENV'] === 'development' ? [] : secretFaults(parsed.data as Record<string, unknown>)
  if (weak.length > 0)
    throw unusable([...weak, 'Such values are for development only (NODE_ENV=development).'])
  return parsed.data
}

const unusable = (faults: readonly string[]) =>
  new Error(`The configuration cannot be used:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
