import { z } from 'zod'
import { ProcessorHealth, ServiceHealth } from '#/internal/payments-health.ts'
import { operation } from '#/operation.ts'

export const PlatformHealth = operation({
  name: 'platform-health',
  summary: 'Read the health of the platform',
  description:
    'The databases, queues and settings of the services, and whether the payment processor responds. An unavailable part is null, not an error. `platter doctor` adds checks from outside and the remedy of each finding.',
  method: 'GET',
  path: '/operatorapi/v1/health',
  owner: 'orders',
  admission: 'priority',
  response: z.object({
    development: z.boolean().describe('Whether the services accept publicly known secrets.'),
    clientAddress: z
      .string()
      .nullable()
      .describe(
        'The address of this client, as the gateway sees it. Behind a proxy it must not be that of the proxy.',
      ),
    orders: ServiceHealth,
    payments: ServiceHealth.nullable().describe('Null while the payments service is unavailable.'),
    processor: ProcessorHealth.nullable().describe('Null while the payments service is unavailable.'),
    redis: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Whether Redis responds to the payments service. Null while that service is unavailable.'),
  }),
  returns: 'The health of the platform.',
  examples: {
    response: {
      development: false,
      clientAddress: '203.0.113.9',
      orders: {
        database: { at: 1795199700, migration: '0131_find_unfinished_sagas_by_deadline', missingIndexes: [] },
        queues: [{ queue: 'orders.saga-answer.v2', waiting: 0 }],
      },
      payments: {
        database: { at: 1795199700, migration: '0050_hold_clients_to_nothing', missingIndexes: [] },
        queues: [{ queue: 'payments.capture.v2', waiting: 0 }],
      },
      processor: { kind: 'stripe', test: false, reachable: true, reason: null, lastEvent: null, charges: 0 },
      redis: true,
    },
  },
})
