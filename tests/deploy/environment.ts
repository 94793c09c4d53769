import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { secretFaults } from '@platter/kit/security/known-secrets'
import type { z } from 'zod'
import { processorConfig, type Config as Payments } from '../../services/payments/src/config.ts'
import { ownSecretNames } from '../../dev/compose/own-secrets.ts'
import { databaseServices } from '../../dev/stack/services.ts'

const root = join(import.meta.dirname, '../..')

/** Read by what a process stands on and not by its Config: node-postgres and Node. */
const OTHERS = ['PGSSLMODE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_DIR', 'NODE_USE_SYSTEM_CA', 'INSTALLATION']

/** What the image sets, see Dockerfile. */
export const fromImage: Readonly<Record<string, string>> = Object.fromEntries(
  [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^ENV (.+)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((one) => one.split('=') as [string, string]),
  ),
)

/** The folder that a process of ours is in. */
export const folderOf = (name: string): string =>
  existsSync(join(root, 'services', name)) ? `services/${name}` : `dev/${name}`

/**
 * What is wrong with the variables that a process is started with: unknown names, missing ones and values that its
 * Config refuses. `besides` are names that are there only to be put into other values.
 */
export async function environmentFaults(
  name: string,
  variables: Readonly<Record<string, string>>,
  besides: readonly string[] = [],
): Promise<readonly string[]> {
  const { Config } = (await import(pathToFileURL(join(root, folderOf(name), 'src/config.ts')).href)) as {
    Config: z.ZodObject
  }
  const known = new Set([...Object.keys(Config.shape), ...OTHERS, ...besides])
  const unknown = Object.keys(variables).filter((variable) => !known.has(variable))
  const read = Config.safeParse({ ...fromImage, ...variables })
  const refused = read.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
  return [
    ...unknown.map((variable) => `${variable} is no variable of ${name}`),
    ...refused,
    ...(read.success && variables['NODE_ENV'] !== 'development' ? secretFaults(read.data) : []),
    ...(name === 'payments' && read.success ? processorFaults(read.data as Payments) : []),
  ]
}

/** Of the variables of a processor which are needed depends on which one it is: no schema says that. */
function processorFaults(config: Payments): readonly string[] {
  try {
    processorConfig(config)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/** The same for the jobs of dev/compose, which have no Config: they take exactly these. */
const jobs: Readonly<Record<string, readonly string[]>> = {
  secrets: ['ENV_FILE', 'NODE_ENV', ...ownSecretNames],
  prepare: ['DATABASE_URL', ...databaseServices.map((name) => `${name.toUpperCase()}_PASSWORD`)],
  seed: ['GATEWAY_URL', 'BEHIND_THE_GATEWAY', 'SIMULATORS_URL', 'PUBLIC_URL', 'OPERATOR_KEY', 'STATE_FILE'],
}

/** Whether this is one of the jobs. */
export const isJob = (name: string): boolean => name in jobs

/** What is wrong with the variables that a job is started with. */
export function jobFaults(
  name: string,
  variables: Readonly<Record<string, string>>,
  besides: readonly string[] = [],
): readonly string[] {
  const wanted = jobs[name] ?? []
  const known = new Set([...wanted, ...OTHERS, ...besides])
  return [
    ...wanted.filter((variable) => !variables[variable]).map((variable) => `${variable} is missing`),
    ...Object.keys(variables)
      .filter((variable) => !known.has(variable))
      .map((variable) => `${variable} is no variable of ${name}`),
  ]
}
