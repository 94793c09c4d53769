import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { StackFile } from '../../../dev/stack/description.ts'
import { peaksOf, residentOf, type Groups } from '../../support/processes.ts'
import { ownStack } from '../stack.ts'

const SERVICES = ['gateway', 'catalog', 'accounts', 'orders', 'payments'] as const

/** The processes of our services at this moment, from the file that the launcher keeps up to date. */
export function processes(): Record<string, number[]> {
  const file = join(dirname(ownStack().data.logs), 'stack.json')
  const { processes: running } = JSON.parse(readFileSync(file, 'utf8')) as StackFile
  return Object.fromEntries(SERVICES.map((service) => [service, running[service]]))
}

/** MiB that each process has in memory, by service and number. */
export const memory = () => residentOf(each())

/** MiB that each has had in memory at most. */
export const mostMemory = () => peaksOf(each())

const each = (): Groups =>
  Object.fromEntries(
    Object.entries(processes()).flatMap(([service, pids]) =>
      pids.map((pid, at) => [`${service}-${at + 1}`, () => [pid]] as const),
    ),
  )
