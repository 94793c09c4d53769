import { GetOrderStory } from '@platter/contracts'
import type { Command } from 'commander'
import { apiFor, asking, type Shared } from '#/command.ts'
import { say, sayJson, style, when } from '#/output.ts'
import { summaryOf, timelineOf } from '#/timeline.ts'

export function orders(program: Command): void {
  const group = program.command('orders').description('single orders')

  asking(group, 'show <order>', {
    summary:
      'everything that is known of an order, by its apiKey or its number, as a timeline; also of one that clients do not see',
    examples: ['orders show ORDER', 'orders show 34', 'orders show ORDER --json | jq ".payment.processorId"'],
  }).action(async (apiKeyOrNumber: string, options: Shared) => {
    const story = await apiFor(options).call(GetOrderStory, { params: { apiKey: apiKeyOrNumber } })
    if (options.json) return sayJson(story)
    const { order, requestId, applicationId, traceId } = story
    say(style('bold', `Order ${order.id ?? ''}`), `  ${order.apiKey ?? ''}`)
    say(
      `for ${order.recipient.firstName} ${order.recipient.lastName}, at restaurant ${order.restaurantApiKey}`,
    )
    say(`by application ${applicationId}, request ${requestId}, trace ${traceId ?? 'none'}`)
    say()
    for (const [part, words] of summaryOf(story)) say(style('bold', part.padEnd(9)), ` ${words}`)
    say()
    for (const { at, what } of timelineOf(story)) say(style('dim', when(at) ?? ''), `  ${what}`)
  })
}
