import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { StackFile } from '../../../dev/stack/description.ts'
import { serviceNames } from '../../../dev/stack/services.ts'
import { peaksOf, residentOf, type Groups } from '../../support/processes.ts'
import { ownStack } from '../stack.ts'

/** Returns the current processes of the services, from the file that the launcher updates. */
export function processes(): Record<string, number[]> {
  const file = join(dirname(ownStack().data.logs), 'stack.json')
  const { processes: running } = JSON.parse(readFileSync(file, 'utf8')) as StackFile
  return Object.fromEntries(serviceNames.map((service) => [service, running[service]]))
}

/** Returns the resident memory of each process in MiB, by service and number. */
export const memory = () => residentOf(each())

/** Returns the peak of the resident memory of each process in MiB. */
export const mostMemory = () => peaksOf(each())

const each = (): Groups =>
  Object.fromEntries(
    Object.entries(processes()).flatMap(([service, pids]) =>
      pids.map((pid, at) => [`${service}-${at + 1}`, () => [pid]] as const),
    ),
  )
