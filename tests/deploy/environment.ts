import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { secretFaults } from '@platter/kit/security/known-secrets'
import { z } from 'zod'
import { processorConfig, type Config as Payments } from '../../services/payments/src/config.ts'
import { ownSecretNames } from '../../dev/compose/own-secrets.ts'
import { databaseServices } from '../../dev/stack/services.ts'

const root = join(import.meta.dirname, '../..')

/** Variables that node-postgres and Node read, and the Config of a process does not. */
const OTHERS = ['PGSSLMODE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_DIR', 'NODE_USE_SYSTEM_CA']

/** Variables that the image sets, see Dockerfile. */
const fromImage: Readonly<Record<string, string>> = Object.fromEntries(
  [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((one) => one.split('=') as [string, string]),
  ),
)

/** The variables of the jobs of dev/compose, which have no Config. Each job takes exactly these, and `seed` may take INSTALLATION. */
const jobs: Readonly<Record<string, readonly string[]>> = {
  secrets: ['ENV_FILE', 'NODE_ENV', ...ownSecretNames],
  prepare: ['DATABASE_URL', ...databaseServices.map((name) => `${name.toUpperCase()}_PASSWORD`)],
  seed: ['GATEWAY_URL', 'BEHIND_THE_GATEWAY', 'SIMULATORS_URL', 'PUBLIC_URL', 'OPERATOR_KEY', 'STATE_FILE'],
}

async function configOf(name: string): Promise<z.ZodObject> {
  const job = jobs[name]
  if (job) return z.object(Object.fromEntries(job.map((variable) => [variable, z.string().min(1)])))
  const folder = existsSync(join(root, 'services', name)) ? `services/${name}` : `dev/${name}`
  const file = pathToFileURL(join(root, folder, 'src/config.ts')).href
  return ((await import(file)) as { Config: z.ZodObject }).Config
}

/**
 * Returns the faults in the variables of a process or job: unknown names, missing names, and values that its Config rejects. Names in
 * `besides` only occur within other values.
 */
export async function environmentFaults(
  name: string,
  variables: Readonly<Record<string, string>>,
  besides: readonly string[] = [],
): Promise<readonly string[]> {
  const isService = !(name in jobs)
  const Config = await configOf(name)
  const known = new Set([
    ...Object.keys(Config.shape),
    ...OTHERS,
    ...besides,
    ...(name === 'seed' ? ['INSTALLATION'] : []),
  ])
  const unknown = Object.keys(variables).filter((variable) => !known.has(variable))
  const read = Config.safeParse({ ...(isService && fromImage), ...variables })
  const refused = read.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
  const hasSecrets = isService && variables['NODE_ENV'] !== 'development'
  return [
    ...unknown.map((variable) => `${variable} is no variable of ${name}`),
    ...refused,
    ...(read.success && hasSecrets ? secretFaults(read.data) : []),
    ...(name === 'payments' && read.success ? processorFaults(read.data as Payments) : []),
  ]
}

/** The necessary variables of payments depend on the processor. No schema expresses that. */
function processorFaults(config: Payments): readonly string[] {
  try {
    processorConfig(config)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
