import { writeFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { until } from '../../dev/process/wait.ts'
import type { Stack } from '../../dev/stack.ts'
import { groupsOf } from '../bench/platform.ts'
import { familiesOf } from '../bench/processes.ts'

/** About an eighth of the CPU that a process of its own gets, where there is too little: see setpriority(2). */
const BEHIND = constants.priority.PRIORITY_BELOW_NORMAL
/** A user may change the weight of one session in so many milliseconds (sched(7), autogroup). */
const ONE_EACH_MS = 110

/**
 * Lets the gateway go before all others of a stack, as `cpu_shares` does in docker-compose.yml. Each process of PostgreSQL is
 * a session of its own, one for each connection: those that come later are as the gateway is until this is called again.
 */
export async function putGatewayFirst(stack: Stack): Promise<void> {
  const { gateway: _, ...others } = familiesOf(groupsOf(stack))
  for (const pid of Object.values(others).flat()) await putBehind(pid)
}

async function putBehind(pid: number): Promise<void> {
  try {
    setPriority(pid, BEHIND)
  } catch (error) {
    // It has ended since it was listed.
    if ((error as { info?: NodeJS.ErrnoException }).info?.code === 'ESRCH') return
    throw error
  }
  await until(() => putSessionBehind(pid), {
    what: `Giving process ${pid} another weight`,
    withinMs: 5_000,
    everyMs: ONE_EACH_MS,
  })
}

/** False when it was too early for another one. */
async function putSessionBehind(pid: number): Promise<boolean> {
  try {
    await writeFile(`/proc/${pid}/autogroup`, String(BEHIND))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN') return false
    // Without autogroups (ENOENT) the priority of the process is all that there is; ESRCH is of one that has ended.
    if (code !== 'ENOENT' && code !== 'ESRCH') throw error
  }
  return true
}
