/** Whether something was met, and what it was, in figures. */
export type Goal = [met: boolean, goal: string]

export const say = (line: string) => process.stdout.write(`${line}\n`)

/** Says of each goal whether it was met; the process fails unless there are some, and all of them were. */
export function judge(goals: readonly Goal[]): void {
  for (const [met, goal] of goals) say(`${met ? 'met   ' : 'MISSED'} ${goal}`)
  process.exitCode = goals.length > 0 && goals.every(([met]) => met) ? 0 : 1
}
