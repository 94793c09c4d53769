import { sendSignal } from '../../dev/process/identity.ts'
import type { StackFile } from '../../dev/stack/description.ts'
import { familyOf } from './processes.ts'

/** Sends a signal to processes and all their descendants: PostgreSQL works in children of its own. */
export function sendToTrees(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of new Set(familyOf(pids))) sendSignal(pid, signal)
}

const urlOf = ({ urls }: StackFile) => `${urls.processor}/faults`

/** Replaces the faults of the development payment processor; `dev/processor/src/faults.ts` defines the rules. */
export async function setProcessorFaults(stack: StackFile, rules: readonly object[]): Promise<void> {
  const { status } = await fetch(urlOf(stack), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rules }),
  })
  if (status !== 200) throw new Error(`the processor rejected the faults: ${status}`)
}

/** Whether a request has met one of the faults since they were set. */
export async function hasFaultOccurred(stack: StackFile): Promise<boolean> {
  const { happened } = (await (await fetch(urlOf(stack))).json()) as { happened: object }
  return Object.keys(happened).length > 0
}
