import { z } from 'zod'
import { statuses } from '#/examples.ts'
import { LastEvent, OrderInPath } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Cancellation, OrderStatusRecord } from '#/records.ts'

export const OrderStatuses = operation({
  name: 'order-statuses',
  summary: "Read an order's status history",
  description: `The statuses of an order up to now, oldest first. How detailed they are depends on the restaurant.

With \`Accept: text/event-stream\` the response is a stream of Server-Sent Events instead. It sends \`event: status\` with an OrderStatus for each status up to now and for each new one, and \`event: cancellation\` with the Cancellation of a cancelled order. \`id\` is the position in the history. The stream ends after the last status or a cancellation; a client that reconnects with the \`id\` of the last event gets 204, at which EventSource stops. Any other end is a broken connection: reconnect with \`Last-Event-ID\`, and no event is lost or repeated. The stream does not report a refund after the cancellation; read the order for that.`,
  method: 'GET',
  path: '/publicapi/v1/order/:apiKey/statuses',
  owner: 'orders',
  admission: 'priority',
  params: OrderInPath,
  query: LastEvent,
  response: z.array(OrderStatusRecord),
  returns: 'The status history.',
  events: { status: OrderStatusRecord, cancellation: Cancellation },
  examples: {
    response: statuses,
    events: statuses.map((data, position) => ({ event: 'status', id: String(position), data })),
  },
  noContent: 'The stream has ended, and the client has received all of it: do not reconnect.',
  problems: ['order-not-found'],
})
