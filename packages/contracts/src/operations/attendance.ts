import { z } from 'zod'
import { operation } from '#/operation.ts'
import { Epoch } from '#/values.ts'

export const ReadAttendance = operation({
  name: 'attendance',
  summary: 'Confirm that the restaurant is attended',
  description:
    'Records that a client of the restaurant is running, and responds with the attendance of the restaurant. A restaurant with a console is attended for 75 seconds after such a request, so its client calls this every 15 to 20 seconds. Customers can order from an attended restaurant only.',
  method: 'GET',
  path: '/restaurantapi/v1/attendance',
  owner: 'orders',
  admission: 'priority',
  response: z
    .object({
      attended: z.boolean().describe('Whether a client of the restaurant is running.'),
      link: z
        .enum(['console', 'webhook'])
        .describe(
          'The source of the attendance. `console`: requests of its clients. `webhook`: deliveries to its own system.',
        ),
      until: Epoch.nullable().describe(
        'When the restaurant stops being attended without another request. Null for a webhook.',
      ),
    })
    .meta({ id: 'Attendance' }),
  returns: 'The attendance of the restaurant.',
  examples: { response: { attended: true, link: 'console', until: 1795199775 } },
})
export type Attendance = z.infer<(typeof ReadAttendance)['response']>
