import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { until } from '../../dev/process/wait.ts'
import type { Stack } from '../../dev/stack.ts'
import { familyOf, processGroupsOf } from '../support/processes.ts'

/** About an eighth of the CPU of a process with normal priority, when there is too little (setpriority(2)). */
const LOWER = constants.priority.PRIORITY_BELOW_NORMAL
/** A user may change the weight of one session in this time (sched(7), autogroup). */
const ONE_EACH_MS = 110

/**
 * Gives the gateway precedence over all other processes of a stack, as `cpu_shares` does in docker-compose.yml. Each process of
 * PostgreSQL is a session of its own, one per connection: call it again when there are new ones.
 */
export async function putGatewayFirst(stack: Stack): Promise<void> {
  const { gateway: _, ...others } = processGroupsOf(stack)
  for (const pid of familyOf(Object.values(others).flatMap((pids) => pids()))) {
    if (!lowerPriority(pid)) continue
    await until(() => lowerSession(pid), {
      what: `Lowering the weight of process ${pid}`,
      withinMs: 5_000,
      everyMs: ONE_EACH_MS,
    })
  }
}

/** False when the process has ended since it was listed. */
function lowerPriority(pid: number): boolean {
  try {
    setPriority(pid, LOWER)
    return true
  } catch (error) {
    if ((error as { info?: NodeJS.ErrnoException }).info?.code === 'ESRCH') return false
    throw error
  }
}

/** False when it was too early for another session. */
async function lowerSession(pid: number): Promise<boolean> {
  try {
    await writeFile(`/proc/${pid}/autogroup`, String(LOWER))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') return false
    // Without autogroups (ENOENT) the priority of the process is enough; ESRCH: it has ended.
    if (code !== 'ENOENT' && code !== 'ESRCH') throw error
  }
  return true
}
