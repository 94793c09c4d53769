import { FindOrders, OrderStatus, PaymentState, type FoundOrder } from '@platter/contracts'
import { Option, type Command } from 'commander'
import type { Api } from '#/api.ts'
import { addCommand, apiFor, type Shared } from '#/command.ts'
import { checkRestaurant } from '#/known-restaurant.ts'
import { printJson, printNote, table, when } from '#/output.ts'
import { oneOf, requirePeriod, since, whole, withoutNumberSign } from '#/parsers.ts'

type Filters = { limit: number; from?: number; to?: number; restaurant?: string } & Record<
  string,
  string | number
>

const MAX_OF_A_PAGE = 200
const MAX_NUMBER = 1e9

const orderNumber = (text: string): number => whole(1, MAX_NUMBER)(withoutNumberSign(text))

export function findOrders(group: Command): void {
  addCommand(group, 'find', {
    summary:
      'find orders by facts that a customer knows, newest first; an order must match all given options',
    examples: [
      'orders find --number 34',
      'orders find --phone "(608) 555-0142" --from 7d',
      'orders find --restaurant APIKEY --status PREPARING --json',
    ],
  })
    .option('--number <number>', 'the number on the console and the ticket', orderNumber)
    .option('--phone <number>', "the customer's telephone number, in any spelling")
    .option('--email <address>', "the customer's e-mail address")
    .option('--restaurant <apiKey>', 'orders of one restaurant')
    .option('--from <when>', 'placed at this time or later: 24h, 7d, a date, or Unix seconds', since)
    .option('--to <when>', 'placed before this time', since)
    .addOption(statesOption('--status <status>', 'the current status', OrderStatus.options))
    .addOption(statesOption('--payment-state <state>', 'the state of the payment', PaymentState.options))
    .option('--limit <count>', 'the maximum number of orders', whole(1, MAX_NUMBER), 50)
    .action(async ({ json, url, keyFile, ...filters }: Shared & Filters) => {
      requirePeriod(['--from', '--to'], filters.from, filters.to)
      const api = apiFor({ url, keyFile })
      const { orders, hasMore } = await read(api, filters)
      // A mistyped apiKey must not look like a restaurant without orders.
      if (orders.length === 0 && filters.restaurant !== undefined)
        await checkRestaurant(api, filters.restaurant)
      if (json) return printJson(orders)
      show(orders)
      if (orders.length === 0) printNote('No order was found.')
      if (hasMore)
        printNote(`These are the newest ${orders.length}. Use --limit for more, or more options for fewer.`)
    })
}

/** `choices` is for the help and the completion; the parser then accepts any case. */
const statesOption = (flags: string, description: string, states: readonly string[]): Option =>
  new Option(flags, description).choices(states).argParser(oneOf(states))

async function read(api: Api, { limit, ...filters }: Filters) {
  const query = { ...filters, limit: Math.min(limit + 1, MAX_OF_A_PAGE) }
  const orders: FoundOrder[] = []
  for await (const page of api.pages(FindOrders, { query })) {
    orders.push(...page)
    if (orders.length > limit) break
  }
  return { orders: orders.slice(0, limit), hasMore: orders.length > limit }
}

const HEAD = ['number', 'placed', 'status', 'payment', 'total', 'refunded', 'customer', 'phone', 'restaurant']

const show = (orders: readonly FoundOrder[]): void =>
  table(
    HEAD,
    orders.map((order) => [
      order.id,
      when(order.datePlaced),
      statusOf(order),
      order.paymentState,
      order.total.toFixed(2),
      order.refundedTotal > 0 ? order.refundedTotal.toFixed(2) : null,
      `${order.recipient.firstName} ${order.recipient.lastName}`,
      order.recipient.phone,
      order.restaurantApiKey,
    ]),
  )

function statusOf({ status, cancellation, outcome }: FoundOrder): string {
  // The system cancels a failed order, and the customer never saw it as an order.
  if (outcome === 'failed') return 'failed'
  return cancellation ? `${status}, cancelled by ${cancellation.cancelledBy}` : status
}
