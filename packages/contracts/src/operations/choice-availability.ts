import { keys } from '#/examples.ts'
import { ChoiceInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { ItemAvailability } from '#/operations/item-availability.ts'

export const ChoiceAvailability = operation({
  ...ItemAvailability,
  name: 'choice-availability',
  summary: 'Set the availability of a choice',
  description: 'Like item-availability, for a choice in every item that offers it.',
  path: '/restaurantapi/v1/choice/:apiKey/availability',
  params: ChoiceInPath,
  examples: {
    bodies: { 'Until further notice': { available: false } },
    response: { apiKey: keys.marinara, available: false, until: null },
  },
})
