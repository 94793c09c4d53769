import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { StackFile } from '../../../dev/stack/description.ts'
import { stack } from '../stack.ts'

const SERVICES = ['gateway', 'catalog', 'accounts', 'orders', 'payments'] as const

/** The processes of our services at this moment, from the file that the launcher keeps up to date. */
export function processes(): Record<string, number[]> {
  const file = join(dirname(stack().data.logs), 'stack.json')
  const { processes: running } = JSON.parse(readFileSync(file, 'utf8')) as StackFile
  return Object.fromEntries(SERVICES.map((service) => [service, running[service]]))
}

/** MiB that each process has in memory, by service and number. */
export const memory = (): Record<string, number> => mebibytes(/VmRSS:\s+(\d+)/)

/** MiB that each has had in memory at most. */
export const mostMemory = (): Record<string, number> => mebibytes(/VmHWM:\s+(\d+)/)

function mebibytes(line: RegExp): Record<string, number> {
  const of = (pid: number) =>
    Math.round(Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024)
  return Object.fromEntries(
    Object.entries(processes()).flatMap(([service, pids]) =>
      pids.map((pid, at) => [`${service}-${at + 1}`, of(pid)] as const),
    ),
  )
}
