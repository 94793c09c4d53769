import { expect, test } from 'vitest'
import type { Alert } from '#/domain/alert.ts'
import type { Channel } from '#/operating/alerts/channel.ts'
import { sendTestAlert } from '#/operating/routes/test-alert.ts'

const channelOf = (name: Channel['name'], send: Channel['send']): Channel => ({
  name,
  send,
  close: async () => undefined,
})

test('sends the test alert by each channel, and reports each result with its failure reason', async () => {
  const sent: Alert[] = []
  const channels = [
    channelOf('webhook', () => Promise.reject(new Error('status 500'))),
    channelOf('email', async (alert) => void sent.push(alert)),
  ]
  const result = await sendTestAlert({ channels })({} as never)
  expect(result).toMatchObject({
    channels: [
      { channel: 'webhook', delivered: false, reason: 'status 500' },
      { channel: 'email', delivered: true, reason: null },
    ],
  })
  expect(sent).toMatchObject([{ kind: 'test', id: (result as { id: string }).id, incidents: [] }])
})
