import { GetOrderStory } from '@platter/contracts'
import type { Command } from 'commander'
import { apiFor, addCommand, type Shared } from '#/command.ts'
import { print, printJson, style, when } from '#/output.ts'
import { summaryOf, timelineOf } from '#/timeline.ts'

export function orders(program: Command): void {
  const group = program.command('orders').description('single orders')

  addCommand(group, 'show <order>', {
    summary:
      'show the timeline of an order, by its apiKey or number; also of an order that is hidden from clients',
    examples: ['orders show ORDER', 'orders show 34', 'orders show ORDER --json | jq ".payment.processorId"'],
  }).action(async (apiKeyOrNumber: string, options: Shared) => {
    const story = await apiFor(options).call(GetOrderStory, { params: { apiKey: apiKeyOrNumber } })
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
