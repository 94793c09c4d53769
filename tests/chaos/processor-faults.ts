import type { StackFile } from '../../dev/stack/description.ts'

const urlOf = ({ urls }: StackFile) => `${urls.processor}/faults`

/** Lets requests to the payment processor meet faults, as `dev/processor/src/faults.ts` has them. */
export async function setFaults(stack: StackFile, rules: readonly object[]): Promise<void> {
  const { status } = await fetch(urlOf(stack), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rules }),
  })
  if (status !== 200) throw new Error(`the processor refused the faults: ${status}`)
}

/** Whether a request has met one of the faults since they were set. */
export async function hasFaultStruck(stack: StackFile): Promise<boolean> {
  const { happened } = (await (await fetch(urlOf(stack))).json()) as { happened: object }
  return Object.keys(happened).length > 0
}
