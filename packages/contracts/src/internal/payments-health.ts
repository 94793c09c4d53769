import { z } from 'zod'
import { internalOperation } from '#/operation.ts'
import { Epoch } from '#/values.ts'

/** Facts that only the service itself can report. A part is null if its server does not respond. */
export const ServiceHealth = z
  .object({
    database: z
      .object({
        at: Epoch.describe('The clock of the database.'),
        migration: z.string().describe('The newest migration of the schema.'),
        missingIndexes: z
          .array(z.string())
          .default([])
          .describe('Indexes that the service builds while it runs. Until then, some searches are slow.'),
      })
      .nullable()
      .describe('Null while the database is unavailable.'),
    queues: z
      .array(z.object({ queue: z.string(), waiting: z.int() }))
      .nullable()
      .describe('The queues that the service consumes, with their waiting messages; null without RabbitMQ.'),
  })
  .meta({ id: 'ServiceHealth' })
export type ServiceHealth = z.infer<typeof ServiceHealth>

export const ProcessorHealth = z
  .object({
    kind: z.enum(['development', 'stripe', 'none']),
    test: z.boolean().default(false).describe('Whether it charges no card, as with a test key of Stripe.'),
    reachable: z.boolean().describe('Whether the processor responds with its charges.'),
    reason: z.string().nullable().describe('Why it is not reachable; null when it is.'),
    lastEvent: Epoch.nullable().describe('The last event of its webhook within a day; null without one.'),
    charges: z.int().describe('Its newest charges of the last day, at most one page.'),
  })
  .meta({ id: 'ProcessorHealth' })
export type ProcessorHealth = z.infer<typeof ProcessorHealth>

/** The health of payments and of the payment processor. */
export const PaymentsHealth = internalOperation({
  name: 'payments-health',
  path: '/internal/health',
  owner: 'payments',
  body: z.object({}),
  response: z.object({
    service: ServiceHealth,
    processor: ProcessorHealth,
    /** Absent in the response of the version before. */
    redis: z.boolean().optional(),
  }),
})
