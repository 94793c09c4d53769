import { operation } from '#/operation.ts'
import { Pause } from '#/operations/pause.ts'

/** Ends a pause before its time. */
export const ResumeRestaurant = operation({
  name: 'resume',
  summary: 'Take orders again',
  method: 'POST',
  path: '/restaurantapi/v1/resume',
  owner: 'catalog',
  admission: 'priority',
  response: Pause,
  problems: ['malformed-json', 'not-json', 'body-too-large', 'restaurant-not-found'],
})
