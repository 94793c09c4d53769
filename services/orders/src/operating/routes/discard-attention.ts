import { DiscardAttention } from '@platter/contracts'
import { Problem, type Handler } from '@platter/kit'
import { splitId } from '#/operating/incidents.ts'
import type { Idempotent } from '#/store/stores.ts'

/** Deletes a dead letter. A message that no version can handle would return after each retry. */
export function discardAttention({
  idempotent,
}: {
  idempotent: Idempotent
}): Handler<typeof DiscardAttention> {
  const { execute } = idempotent(DiscardAttention)
  return (call) =>
    execute(call, async ({ incidents }) => {
      const { id } = call.params
      const own = splitId(id)
      if (own?.source !== 'letter' || !(await incidents.discardDeadLetter(own.key)))
        throw new Problem('attention-not-found', 'There is no dead letter with this id.')
      return { id, done: 'The message was deleted.' }
    })
}
