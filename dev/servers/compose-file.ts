import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The fields of a service in docker-compose.yml that the launcher and the tests read. */
type ComposeService = {
  readonly image: string
  readonly build?: unknown
  readonly command?: string[]
  readonly environment?: Record<string, string>
  readonly ports?: readonly string[]
  readonly [setting: string]: unknown
}

export const composeFile = join(import.meta.dirname, '../../docker-compose.yml')
export const productionComposeFile = join(import.meta.dirname, '../../docker-compose.production.yml')

/**
 * Replaces references by variables: `${NAME:-for an absent one}`, `${NAME:+for a present one}`. A text may contain a reference: the
 * inner one is replaced first.
 */
function interpolated(text: string, variables: Readonly<Record<string, string>>): string {
  const next = text.replaceAll(
    /\$\{(\w+):([-+])([^${}]*)\}/g,
    (_, name: string, kind: string, given: string) =>
      kind === '+' ? (variables[name] ? given : '') : (variables[name] ?? given),
  )
  return next === text ? text : interpolated(next, variables)
}

/** Returns the services of a Compose file, with these variables and otherwise its defaults. */
export function readComposeFile(
  variables: Readonly<Record<string, string>> = {},
  file = composeFile,
): Readonly<Record<string, ComposeService>> {
  const text = interpolated(readFileSync(file, 'utf8'), variables)
  const { services } = parse(text, { merge: true }) as { services: Record<string, Written> }
  return Object.fromEntries(
    Object.entries(services).map(([name, { environment, ...service }]) => [
      name,
      environment ? { ...service, environment: passedOn(environment, variables) } : service,
    ]),
  )
}

/** A service as in the file, where a variable may have no value. */
type Written = Omit<ComposeService, 'environment'> & {
  readonly image: string
  readonly environment?: Record<string, string | null>
}

/** A variable without a value takes that of the environment, and is left out when there is none. */
function passedOn(
  written: Readonly<Record<string, string | null>>,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const all = Object.entries(written).map(([name, value]) => [name, value ?? variables[name]] as const)
  return Object.fromEntries(all.filter((one): one is [string, string] => one[1] !== undefined))
}

/** Returns the service of this name. Throws when there is none. */
export function composeService(
  name: string,
  variables: Readonly<Record<string, string>> = {},
): ComposeService {
  const service = readComposeFile(variables)[name]
  if (service === undefined) throw new Error(`docker-compose.yml has no service ${name}`)
  return service
}
