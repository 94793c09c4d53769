import type { ChoiceAvailability, ItemAvailability } from '@platter/contracts'
import { Problem, type Call } from '@platter/kit'
import type { Said } from '#/domain/availability.ts'
import { say } from '#/store/availability.ts'
import type { Trx } from '#/store/database.ts'

const IN_WORDS = {
  item: 'There is no such item on your menu.',
  choice: 'There is no such choice on your menu.',
}

/** item-availability and choice-availability: the same, each among its own kind of records. */
export const sayAvailability =
  (
    kind: Said['kind'],
    { params: { apiKey }, body, principal }: Call<typeof ItemAvailability> | Call<typeof ChoiceAvailability>,
  ) =>
  async (trx: Trx): Promise<{ apiKey: string; available: boolean; until: number | null }> => {
    const word = { apiKey, available: body.available, until: body.until ?? null }
    const spoken = await say(trx, principal.restaurantApiKey, { kind, ...word })
    if (spoken === 'not-on-the-menu') throw new Problem('item-not-found', IN_WORDS[kind])
    if (spoken === 'in-the-past')
      throw Problem.of([{ pointer: '/until', code: 'invalid-field', detail: 'until is in the past.' }])
    return word
  }
