import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { until } from '../../dev/process/wait.ts'
import type { Stack } from '../../dev/stack.ts'
import { familyOf, processGroupsOf } from '../support/processes.ts'

/** About an eighth of the CPU of a process with normal priority, when CPU is scarce (setpriority(2)). */
const LOWER = constants.priority.PRIORITY_BELOW_NORMAL
/** A user may change the weight of one session in this time (sched(7), autogroup). */
const ONE_EACH_MS = 110

/**
 * Gives the gateway precedence over all other processes of a stack, like `cpu_shares` in docker-compose.yml. Each connection of
 * PostgreSQL is a process with its own session. Call this function again after new connections.
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

/** Returns false if the process has ended since its listing. */
function lowerPriority(pid: number): boolean {
  try {
    setPriority(pid, LOWER)
    return true
  } catch (error) {
    if ((error as { info?: NodeJS.ErrnoException }).info?.code === 'ESRCH') return false
    throw error
  }
}

/** Returns false if it was too early for another session. */
async function lowerSession(pid: number): Promise<boolean> {
  try {
    await writeFile(`/proc/${pid}/autogroup`, String(LOWER))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') return false
    // Without autogroups (ENOENT), the priority of the process is enough. ESRCH: the process has ended.
    if (code !== 'ENOENT' && code !== 'ESRCH') throw error
  }
  return true
}
