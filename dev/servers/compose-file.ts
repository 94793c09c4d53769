import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** As much of a service in docker-compose.yml as is read here and by the tests. */
export interface ComposeService {
  readonly image: string
  readonly build?: unknown
  readonly command?: string[]
  readonly environment?: Record<string, string>
  readonly ports?: readonly string[]
  readonly [setting: string]: unknown
}

/** Where the compose file is. */
export const composeFile = join(import.meta.dirname, '../../docker-compose.yml')

/** The services of docker-compose.yml, with these variables and otherwise its defaults. */
export function readComposeFile(
  variables: Readonly<Record<string, string>> = {},
): Readonly<Record<string, ComposeService>> {
  const text = readFileSync(composeFile, 'utf8').replaceAll(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, fallback: string) => variables[name] ?? fallback,
  )
  return (parse(text, { merge: true }) as { services: Record<string, ComposeService> }).services
}

/** The service of this name. Throws when there is none. */
export function composeService(
  name: string,
  variables: Readonly<Record<string, string>> = {},
): ComposeService {
  const service = readComposeFile(variables)[name]
  if (service === undefined) throw new Error(`docker-compose.yml has no service ${name}`)
  return service
}
