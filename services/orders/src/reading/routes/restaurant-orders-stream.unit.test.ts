import { CONSOLE_HEADER } from '@platter/kit'
import { expect, test } from 'vitest'
import { restaurantOrdersStream } from '#/reading/routes/restaurant-orders-stream.ts'

test.each([
  ['with an access key is a sighting while it is open', {}, ['r1']],
  ['of the console is none, because its events may not reach the page', { [CONSOLE_HEADER]: '1' }, []],
])('a stream %s', async (_, headers, expected) => {
  const sightings: string[] = []
  const record = (restaurantApiKey: string) => void sightings.push(restaurantApiKey)
  const handler = restaurantOrdersStream({
    attendance: { recordSightingsWhileOpen: record, recordSightingInBackground: record },
    streams: { respond: (stream: (out: object) => Promise<void>) => stream({}) },
    notifier: {
      restaurants: {
        add: () => {
          throw new Error('the feed begins')
        },
      },
    },
  } as never)
  const call = { principal: { restaurantApiKey: 'r1' }, headers, query: {} }
  await expect(handler(call as never)).rejects.toThrow('the feed begins')
  expect(sightings).toEqual(expected)
})
