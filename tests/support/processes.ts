import { readdirSync } from 'node:fs'
import { readIfPresent, statFields } from '../../dev/process/identity.ts'
import type { Stack } from '../../dev/stack.ts'
import { serviceNames } from '../../dev/stack/services.ts'

/* CPU and memory of processes, read from /proc. A group is a few processes and all their descendants. */

/** The current process ids of each group, by name. */
export type Groups = Readonly<Record<string, () => readonly number[]>>

/** Every process of a stack. */
export const processGroupsOf = (stack: Stack): Groups => ({
  ...Object.fromEntries(serviceNames.map((name) => [name, () => stack.pids(name)])),
  processor: () => stack.pids('processor'),
  postgres: () => stack.servers.postgres.pids(),
  rabbitmq: () => stack.servers.rabbitmq.pids(),
  redis: () => stack.servers.redis.pids(),
})

/** USER_HZ is 100 on every Linux architecture that Node supports (proc(5)). */
const TICK_MS = 10

type Entry = { parent: number; ms: number }
type Table = ReadonlyMap<number, Entry>

/** Returns the milliseconds of CPU of each group since its start, including ended children. */
export function cpuOf(groups: Groups): Record<string, number> {
  const table = readTable()
  return mapGroups(groups, (pids) =>
    familyOf(pids, table).reduce((sum, pid) => sum + (table.get(pid)?.ms ?? 0), 0),
  )
}

/** Returns the ids of processes and all their descendants. */
export function familyOf(pids: readonly number[], table: Table = readTable()): number[] {
  const children = Map.groupBy(table.keys(), (pid) => table.get(pid)?.parent ?? 0)
  const withDescendants = (pid: number): number[] => [
    pid,
    ...(children.get(pid) ?? []).flatMap(withDescendants),
  ]
  return pids.flatMap(withDescendants)
}

function readTable(): Table {
  const table = new Map<number, Entry>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // A process may end after the listing and before this read.
    const fields = (statFields(Number(name)) ?? []).map(Number)
    // utime, stime, cutime and cstime are fields 14 to 17 (proc_pid_stat(5)).
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0)
    table.set(Number(name), { parent: fields[1] ?? 0, ms: ticks * TICK_MS })
  }
  return table
}

/** Runs `work`. Returns its result, and the share of a core that each group used in that time, as text. */
export async function cpuShares<T>(groups: Groups, work: () => Promise<T>): Promise<[T, string]> {
  const [before, began] = [cpuOf(groups), performance.now()]
  const result = await work()
  const took = performance.now() - began
  const shares = Object.entries(cpuOf(groups)).map(
    ([name, ms]) => `${name} ${Math.round((100 * (ms - (before[name] ?? 0))) / took)} %`,
  )
  return [result, `of a core: ${shares.join(', ')}`]
}

/** Returns the peak of the resident memory since the start, in MB: the largest process of each group. */
export const peaksOf = (groups: Groups): Record<string, number> => memory(groups, /VmHWM:\s+(\d+)/)

/** Returns the current resident memory, in MB: the largest process of each group. */
export const residentOf = (groups: Groups): Record<string, number> => memory(groups, /VmRSS:\s+(\d+)/)

function memory(groups: Groups, line: RegExp): Record<string, number> {
  const of = (pid: number) => Number(line.exec(readIfPresent(`/proc/${pid}/status`) ?? '')?.[1] ?? 0) / 1_024
  return mapGroups(groups, (pids) => Math.round(Math.max(0, ...pids.map(of))))
}

const mapGroups = (groups: Groups, of: (pids: readonly number[]) => number): Record<string, number> =>
  Object.fromEntries(Object.entries(groups).map(([name, pids]) => [name, of(pids())]))
