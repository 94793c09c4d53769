import { ChoiceAvailability } from '@platter/contracts'
import type { Handler } from '@platter/kit'
import { idempotent } from '@platter/kit/idempotency/idempotent'
import { setAvailability, type Deps } from '#/set-availability.ts'

export function choiceAvailability({ db, availability }: Deps): Handler<typeof ChoiceAvailability> {
  const { execute } = idempotent(db, ChoiceAvailability)
  return (call) => execute(call, (trx) => setAvailability(availability(trx), 'choice', call))
}
