import { operation } from '#/operation.ts'
import { ItemAvailability } from '#/operations/item-availability.ts'

/** The same for a choice, in every item that it can be chosen for. */
export const ChoiceAvailability = operation({
  ...ItemAvailability,
  name: 'choice-availability',
  summary: 'Take a choice off the menu, or put it back',
  path: '/restaurantapi/v1/choice/:apiKey/availability',
})
