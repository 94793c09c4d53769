import type { Stack } from '../../dev/stack.ts'
import { groupsOf } from '../bench/platform.ts'
import { cpuOf } from '../bench/processes.ts'

/** Runs `work`, and tells what each process has used of a core meanwhile: a figure taken while there was none left is none. */
export async function cpuShares<T>(
  stack: Stack,
  generators: readonly number[],
  work: () => Promise<T>,
): Promise<[result: T, shares: string]> {
  const groups = { ...groupsOf(stack), generators: () => generators }
  const [before, began] = [cpuOf(groups), performance.now()]
  const result = await work()
  const took = performance.now() - began
  const shares = Object.entries(cpuOf(groups)).map(
    ([name, ms]) => `${name} ${Math.round((100 * (ms - (before[name] ?? 0))) / took)} %`,
  )
  return [result, `of a core: ${shares.join(', ')}`]
}
