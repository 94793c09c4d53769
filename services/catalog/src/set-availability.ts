import type { ChoiceAvailability, ItemAvailability } from '@platter/contracts'
import { Problem, type Call, type Db } from '@platter/kit'
import type { AvailabilityOverride } from '#/domain/availability-overrides.ts'
import type { AvailabilityStore } from '#/store/availability-overrides.ts'

/** The dependencies of item-availability and choice-availability. */
export type Deps = { db: Db; availability: (db: Db) => Pick<AvailabilityStore, 'override'> }

const NOT_ON_THE_MENU = {
  item: 'There is no such item on your menu.',
  choice: 'There is no such choice on your menu.',
}

type AvailabilityCall = Call<typeof ItemAvailability> | Call<typeof ChoiceAvailability>

/** Stores the override of a request and returns the response. Throws a Problem if it is not stored. */
export async function setAvailability(
  availability: Pick<AvailabilityStore, 'override'>,
  kind: AvailabilityOverride['kind'],
  { params: { apiKey }, body, principal }: AvailabilityCall,
) {
  const override = { apiKey, available: body.available, until: body.until ?? null }
  const outcome = await availability.override(principal.restaurantApiKey, { kind, ...override })
  if (outcome === 'not-on-the-menu') throw new Problem('item-not-found', NOT_ON_THE_MENU[kind])
  if (outcome === 'in-the-past')
    throw Problem.of([{ pointer: '/until', code: 'invalid-field', detail: 'until is in the past.' }])
  return override
}
