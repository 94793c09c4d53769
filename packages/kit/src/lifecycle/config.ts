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

/** A setting that is a whole number of at least 1. */
export const atLeastOne = z.coerce.number().int().min(1)

/** The names and meanings are OpenTelemetry's. Its exporters read further OTEL_EXPORTER_OTLP_* variables directly. */
const telemetryConfig = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url()
    .optional()
    .describe(
      'Base URL of the OTLP receiver for traces and metrics: JSON over HTTP (port 4318). Without it no telemetry is recorded.',
    ),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers)
    .default('parentbased_traceidratio')
    .describe('Sampler of traces. `npm start` records all traces: parentbased_always_on.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe(
      'Share of traces that a ratio sampler records. Failures of Platter (5xx) are always recorded, except rejections of an overload at the gateway.',
    ),
  OTEL_METRICS_EXPORTER: z
    .enum(['otlp', 'none'])
    .default('otlp')
    .describe('Whether metrics are exported to OTEL_EXPORTER_OTLP_ENDPOINT.'),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce
    .number()
    .int()
    .min(100)
    .default(60_000)
    .describe('Export interval of metrics, in milliseconds.'),
}
const TelemetryConfig = z.object(telemetryConfig)
export type TelemetryConfig = z.output<typeof TelemetryConfig>

/** The configuration of every service. docs/configuration.md is generated from the descriptions. */
export const serviceConfig = {
  NODE_ENV: z
    .string()
    .default('production')
    .describe(
      'Unless this is `development`, a service does not start with an empty, short or publicly known secret, nor with a `DEFAULT_RESTAURANT_LINK` other than `console`. Only test orders reach a webhook with a public secret.',
    ),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on. It must be on a private network.'),
  PORT: z.coerce.number().int().min(0).max(65_535).describe('Port to listen on; 0 selects a free port.'),
  TLS_DIRECTORY: z
    .string()
    .optional()
    .describe(
      'Folder with `tls.crt` and `tls.key` (PEM), the names that cert-manager uses. With it the service accepts only HTTPS. Renewed files apply to new connections within a minute. Callers need `https://` in their URLs, and the certificate authority in `NODE_EXTRA_CA_CERTS`.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('Lowest level that is logged.'),
  INTERNAL_SECRET: z
    .string()
    .min(32)
    .describe(
      'Key that signs the principal in requests between services (HMAC-SHA256). At least 32 characters; the same value for all services.',
    ),
  INTERNAL_SECRET_OTHER: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Second secret that is accepted but never used to sign: first the next INTERNAL_SECRET, then the previous one, during its rotation (docs/operations.md, "Rotate keys and secrets").',
    ),
  ...telemetryConfig,
}

/** The configuration of services that receive card data. Both variables must have the same values in all of them. */
export const cardConfig = {
  PROCESSOR: z
    .enum(['development', 'stripe', 'none'])
    .default('development')
    .describe(
      'Payment processor: `development`, which moves no money, `stripe`, or `none` for cash only. With `none`, each card is refused (`payment-not-possible`).',
    ),
  // Compose passes an empty value if .env does not set the variable.
  RAW_CARDS: z
    .enum(['accept', 'refuse', ''])
    .optional()
    .describe(
      'Whether clients may send card numbers: `accept` or `refuse`. With `refuse`, the gateway rejects a body that contains one (422) and does not forward it. Default: `accept` with PROCESSOR=development, otherwise `refuse`.',
    ),
}

type CardConfig = z.output<z.ZodObject<typeof cardConfig>>

/** Without RAW_CARDS, a real processor receives only tokens. */
export const acceptsRawCards = ({ PROCESSOR, RAW_CARDS }: CardConfig): boolean =>
  (RAW_CARDS || (PROCESSOR === 'development' ? 'accept' : 'refuse')) === 'accept'

/** A list of addresses and CIDR ranges, separated by commas. It may be empty. */
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

/** The configuration of services with a database. */
export const postgresConfig = {
  DATABASE_URL: z
    .url()
    .describe("URL of PostgreSQL with the service's role. The schema has the name of the role."),
  DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(2)
    .max(100)
    .default(10)
    .describe('Maximum number of connections of a process to PostgreSQL.'),
  DATABASE_STATEMENTS: z
    .enum(['named', 'unnamed'])
    .default('named')
    .describe(
      'Whether statements are prepared once for each connection. `unnamed` is for PgBouncer in transaction mode before 1.21, and for later versions without `max_prepared_statements`.',
    ),
}

const urlList = z
  .string()
  .transform((urls) => urls.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url()).min(1))

/** A list of the base URLs of a service's replicas, separated by commas. */
export const replicaUrls = (of: string) =>
  urlList.describe(`Base URLs of the replicas of ${of}, separated by commas.`)

/** The configuration of services that publish or consume messages. */
export const amqpConfig = {
  AMQP_URL: urlList.describe(
    "URL of RabbitMQ with the service's user, or the URLs of the nodes of a cluster, separated by commas.",
  ),
  BUS_QUEUES: z
    .enum(['classic', 'quorum'])
    .default('classic')
    .describe(
      'Type of the queues for commands and questions. `classic` is cheaper, but a queue is unavailable while its node is unavailable. `quorum` is for a cluster that must survive the loss of a node.',
    ),
}

/**
 * Parses the environment. Throws UnusableConfiguration with the names of all missing and invalid variables, but without their values,
 * which may be secrets. Publicly known secrets are allowed only in development. The default is production.
 */
export function readConfig<S extends z.ZodType>(
  schema: S,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<S> {
  const parsed = schema.safeParse(environment)
  if (!parsed.success)
    throw new UnusableConfiguration(
      parsed.error.issues.map(({ code, path: [name, ...rest], message }) =>
        code === 'invalid_type' && environment[String(name)] === undefined
          ? `${String(name)} is missing`
          : `${[name, ...rest].join('.')}: ${message}`,
      ),
    )
  const weak =
    environment['NODE_ENV'] === 'development' ? [] : secretFaults(parsed.data as Record<string, unknown>)
  if (weak.length > 0)
    throw new UnusableConfiguration([...weak, 'Such values are for development only (NODE_ENV=development).'])
  return parsed.data
}

/** Missing and invalid variables, named without their values. */
export class UnusableConfiguration extends Error {
  constructor(faults: readonly string[]) {
    super(faults.join('; '))
  }
}
