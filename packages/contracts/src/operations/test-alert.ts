import { z } from 'zod'
import { operation } from '#/operation.ts'
import { ApiKey } from '#/values.ts'

export const TestAlert = operation({
  name: 'test-alert',
  summary: 'Send a test alert',
  description:
    'Sends a test alert through every configured channel (webhook, e-mail), once, and reports whether each receiver confirmed it. Nothing is stored.',
  method: 'POST',
  path: '/operatorapi/v1/alerts/test',
  owner: 'orders',
  admission: 'priority',
  changesNothing: true,
  response: z.object({
    id: ApiKey.describe('The `webhook-id` of the test alert, and the first part of its Message-ID.'),
    channels: z
      .array(
        z.object({
          channel: z.enum(['webhook', 'email']),
          delivered: z.boolean().describe('Whether the receiver confirmed the alert.'),
          reason: z.string().nullable().describe('Why it was not delivered; null otherwise.'),
        }),
      )
      .describe('The configured channels. Empty when none is configured.'),
  }),
  returns: 'The result of each channel.',
  examples: {
    response: {
      id: 'alert_5f0c1e6e-3e0b-4f37-9d56-0c9f3c2c8f51',
      channels: [
        { channel: 'webhook', delivered: true, reason: null },
        { channel: 'email', delivered: false, reason: 'status 535' },
      ],
    },
  },
})
