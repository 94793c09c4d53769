import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/* What processes use, by /proc: each group is a few processes and everything that they have started. */

/** Process numbers at this moment, by what they are. */
export type Groups = Readonly<Record<string, () => readonly number[]>>

/** Ticks of /proc are hundredths of a second on every Linux that we know. */
const TICK_MS = 10

type Entry = { parent: number; ms: number }

/** Milliseconds of CPU that each group has used since it began, children that have ended included. */
export function cpuOf(groups: Groups): Record<string, number> {
  const table = readTable()
  return Object.fromEntries(
    Object.entries(familiesOf(groups, table)).map(([name, pids]) => [
      name,
      pids.reduce((sum, pid) => sum + (table.get(pid)?.ms ?? 0), 0),
    ]),
  )
}

/** The processes of each group, and everything that they have started. */
export function familiesOf(groups: Groups, table = readTable()): Record<string, number[]> {
  const children = Map.groupBy(table.keys(), (pid) => table.get(pid)?.parent ?? 0)
  const familyOf = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(familyOf)]
  return Object.fromEntries(Object.entries(groups).map(([name, pids]) => [name, pids().flatMap(familyOf)]))
}

function readTable(): Map<number, Entry> {
  const table = new Map<number, Entry>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = readOrNothing(`/proc/${name}/stat`)
    // The program's name, in brackets, may have spaces. utime, stime, cutime and cstime are fields 14 to 17.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, childrensUser = 0, childrensSystem = 0] = fields.slice(11, 15)
    const ticks = user + system + childrensUser + childrensSystem
    table.set(Number(name), { parent: fields[1] ?? 0, ms: ticks * TICK_MS })
  }
  return table
}

/** Forgets how much memory the processes had at most until now. */
export function resetPeaks(groups: Groups): void {
  for (const pid of Object.values(groups).flatMap((pids) => pids()))
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** MB that each group's processes had at most since then: resident, the largest process of each. */
export function peaksOf(groups: Groups): Record<string, number> {
  return memory(groups, /VmHWM:\s+(\d+)/)
}

/** MB that each group's processes have now: resident, the largest process of each. */
export function residentOf(groups: Groups): Record<string, number> {
  return memory(groups, /VmRSS:\s+(\d+)/)
}

function memory(groups: Groups, line: RegExp): Record<string, number> {
  const of = (pid: number) => Number(line.exec(readOrNothing(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024
  return Object.fromEntries(
    Object.entries(groups).map(([name, pids]) => [name, Math.round(Math.max(0, ...pids().map(of)))]),
  )
}

/** A process may be gone by the time that it is looked at. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return ''
    throw error
  }
}
