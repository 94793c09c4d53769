import { OperatorCancelOrder, type Order } from '@platter/contracts'
import type { Command } from 'commander'
import { apiFor, addCommand, type Shared } from '#/command.ts'
import { findOrders } from '#/commands/find-orders.ts'
import { refundOrder } from '#/commands/refund-order.ts'
import { confirm } from '#/confirm.ts'
import { print, printJson, printNote, style, when } from '#/output.ts'
import { readStory } from '#/read-story.ts'
import { summaryOf, timelineOf } from '#/timeline.ts'

export function orders(program: Command): void {
  const group = program.command('orders').description('orders of all applications')
  findOrders(group)
  show(group)
  cancel(group)
  refundOrder(group)
}

function lineOf({ id, status, paymentState, total, recipient, cancellation }: Order): string {
  const state = cancellation ? `cancelled by ${cancellation.cancelledBy}` : status
  return `Order ${id ?? ''} for ${recipient.firstName} ${recipient.lastName}: ${state}, ${paymentState}, ${total.toFixed(2)}`
}

function cancel(group: Command): void {
  addCommand(group, 'cancel <order>', {
    summary: 'cancel an order before it is delivered; its charge is voided or refunded',
    examples: [
      'orders cancel 34 --reason "Power failure"',
      'orders cancel ORDER --reason "Power failure" --yes --json',
    ],
  })
    .requiredOption('--reason <text>', 'the reason, for the restaurant and the customer')
    .option('--message <text>', 'a text for the customer instead of the reason')
    .option('--yes', 'do not ask for a confirmation')
    .action(async (order: string, options: Shared & { reason: string; message?: string; yes?: boolean }) => {
      const { reason, message } = options
      const api = apiFor(options)
      const story = await readStory(api, order)
      if (story.order.cancellation) printNote('The order is already cancelled.')
      else await confirm(`${lineOf(story.order)}. Cancel it?`, options)
      const cancelled = await api.call(OperatorCancelOrder, {
        params: { apiKey: story.order.apiKey ?? order },
        body: { reason, message },
      })
      if (options.json) return printJson(cancelled)
      print(lineOf(cancelled))
      if (cancelled.paymentState === 'CHARGED')
        printNote(`The refund follows; "platter orders show ${cancelled.id}" shows it.`)
    })
}

function show(group: Command): void {
  addCommand(group, 'show <order>', {
    summary:
      'show the timeline of an order, by its apiKey or number; also of an order that is hidden from clients',
    examples: ['orders show ORDER', 'orders show 34', 'orders show ORDER --json | jq ".payment.processorId"'],
  }).action(async (apiKeyOrNumber: string, options: Shared) => {
    const story = await readStory(apiFor(options), apiKeyOrNumber)
    if (options.json) return printJson(story)
    const { order, requestId, applicationId, traceId } = story
    print(style('bold', `Order ${order.id ?? ''}`), `  ${order.apiKey ?? ''}`)
    print(
      `for ${order.recipient.firstName} ${order.recipient.lastName}, at restaurant ${order.restaurantApiKey}`,
    )
    print(`by application ${applicationId}, request ${requestId}, trace ${traceId ?? 'none'}`)
    print()
    for (const [part, words] of summaryOf(story)) print(style('bold', part.padEnd(9)), ` ${words}`)
    print()
    for (const { at, what } of timelineOf(story)) print(style('dim', when(at) ?? ''), `  ${what}`)
  })
}
