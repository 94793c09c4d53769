import { operation } from '#/operation.ts'
import { Pause } from '#/operations/pause.ts'

export const ResumeRestaurant = operation({
  name: 'resume',
  summary: 'End the pause',
  description:
    'The restaurant takes orders again within its opening hours. Without a pause it changes nothing.',
  method: 'POST',
  path: '/restaurantapi/v1/resume',
  owner: 'catalog',
  admission: 'priority',
  response: Pause,
  returns: 'No pause.',
  examples: { response: { paused: false, pausedUntil: null } },
  problems: ['restaurant-not-found'],
})
