import type { RestaurantLink } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { newOrder } from '#/domain/order-state.ts'
import { notifyCancellations } from '#/delivery/notify-cancellation.ts'
import { pricedOrder } from '#/testing/priced-order.ts'

const WEBHOOK = { kind: 'webhook', url: 'https://kitchen.example/', secret: '', reports: 'detailed' } as const
const CONSOLE = { kind: 'console', reports: 'detailed' } as const

type Due = { link: RestaurantLink | null; sentBy: RestaurantLink['kind'] | null; isSent?: boolean }

/** Notifies the restaurant of one cancelled order. `failure`: why it does not confirm the notice. */
async function notify(
  { link, sentBy, isSent = true }: Due,
  { failure = null as string | null, count = 1 } = {},
) {
  const sent: string[] = []
  const ended: string[] = []
  const order = newOrder('o1', pricedOrder(), 1_790_000_000)
  const deps = {
    deliveries: {
      takeDueNotices: async () =>
        Array.from({ length: count }, () => ({ order, link, isSent, sentBy, attempts: 1 })),
      endNotices: async (orderApiKey: string) => void ended.push(orderApiKey),
    },
    log: createLog('test', 'silent'),
    defaultLink: WEBHOOK,
    cancel: async (to: RestaurantLink, { webhookId }: { webhookId: string }) => {
      sent.push(`${webhookId} to ${to.kind}`)
      return failure
    },
  } as unknown as Parameters<typeof notifyCancellations>[0]
  const isMoreDue = await notifyCancellations(deps)
  return { sent, ended, isMoreDue }
}

const notice = 'order_o1_cancelled to webhook'

test.each<[title: string, due: Due, result: { sent: string[]; ended: string[] }]>([
  ['sent by webhook is notified', { link: WEBHOOK, sentBy: 'webhook' }, { sent: [notice], ended: ['o1'] }],
  ['sent by the default link is notified', { link: null, sentBy: null }, { sent: [notice], ended: ['o1'] }],
  ['shown on a console needs no notice', { link: CONSOLE, sentBy: 'console' }, { sent: [], ended: ['o1'] }],
  [
    'shown on a console that is now a webhook needs no notice',
    { link: WEBHOOK, sentBy: 'console' },
    { sent: [], ended: ['o1'] },
  ],
  [
    'sent by a webhook that is now a console waits for a webhook',
    { link: CONSOLE, sentBy: 'webhook' },
    { sent: [], ended: [] },
  ],
  [
    'with a console, and never sent, needs no notice',
    { link: CONSOLE, sentBy: null },
    { sent: [], ended: ['o1'] },
  ],
  [
    'whose webhook accepted no connection needs no notice',
    { link: WEBHOOK, sentBy: 'webhook', isSent: false },
    { sent: [], ended: ['o1'] },
  ],
])('a cancelled order %s', async (_, due, result) => {
  expect(await notify(due)).toMatchObject(result)
})

test('a notice that is not confirmed stays due', async () => {
  const due = { link: WEBHOOK, sentBy: 'webhook' } as const
  expect(await notify(due, { failure: 'status 500' })).toMatchObject({ sent: [notice], ended: [] })
})

test('more notices may be due after a full page', async () => {
  const due = { link: CONSOLE, sentBy: 'console' } as const
  expect((await notify(due, { count: 20 })).isMoreDue).toBe(true)
  expect((await notify(due, { count: 19 })).isMoreDue).toBe(false)
})
