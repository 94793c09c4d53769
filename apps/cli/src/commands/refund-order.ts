import { RefundOrder, RefundReason, type Order, type Refund } from '@platter/contracts'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { addCommand, apiFor, type Shared } from '#/command.ts'
import { confirm } from '#/confirm.ts'
import { EXIT, Failure } from '#/exit.ts'
import { print, printJson, printNote } from '#/output.ts'
import { oneOf } from '#/parsers.ts'
import { readStory } from '#/read-story.ts'

type Item = { index: number; amount?: number }
type Options = Shared & {
  amount?: number
  item: Item[]
  delivery?: boolean
  tip?: boolean
  all?: boolean
  reason: RefundReason
  message?: string
  borneBy: string
  yes?: boolean
}

export function money(text: string): number {
  if (/^\d{1,6}(\.\d{1,2})?$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('it must be an amount such as 2.50.')
}

/** Parses `2` or `2=1.50`: a position in `items` of the order, and a part of the item. */
export function item(text: string, items: readonly Item[] = []): Item[] {
  const [, index, amount] = /^(\d{1,3})(?:=(.+))?$/.exec(text) ?? []
  if (index === undefined) throw new InvalidArgumentError('it must be a position such as 0, or 0=2.50.')
  return [...items, { index: Number(index), ...(amount !== undefined && { amount: money(amount) }) }]
}

export function refundOrder(group: Command): void {
  addCommand(group, 'refund <order>', {
    summary: 'refund an order or a part of it, also after its delivery; shows the refund first',
    examples: [
      'orders refund 34 --item 1 --reason MISSING_ITEM',
      'orders refund 34 --amount 2.50 --reason LATE --message "Sorry for the delay."',
      'orders refund 34 --all --reason QUALITY --yes --json',
    ],
  })
    .option('--amount <amount>', 'an amount, for no particular item', money)
    .option(
      '--item <position>',
      'an item with its tax, by its position from 0; 0=2.50 for a part of it; may be repeated',
      item,
      [],
    )
    .option('--delivery', 'include the delivery price')
    .option('--tip', 'include the tip')
    .option('--all', 'the whole remaining amount')
    .addOption(
      new Option('--reason <reason>', 'why')
        .choices(RefundReason.options)
        .argParser(oneOf(RefundReason.options))
        .makeOptionMandatory(),
    )
    .option('--message <text>', 'a text for the customer')
    .addOption(
      new Option('--borne-by <who>', 'who pays for it')
        .choices(['restaurant', 'platform'])
        .default('restaurant'),
    )
    .option('--yes', 'do not ask for a confirmation')
    .action(refund)
}

/** Requests exactly the shown refund. If an amount has changed in the meantime, the platform refuses the excess. */
async function refund(orderOrNumber: string, options: Options): Promise<void> {
  const api = apiFor(options)
  const { order } = await readStory(api, orderOrNumber)
  const body = bodyOf(order, options)
  const params = { apiKey: order.apiKey ?? orderOrNumber }
  const preview = await api.call(RefundOrder, { params, query: { 'validate-only': true }, body })
  for (const line of linesOf(order, preview)) printNote(line)
  await confirm(`Refund ${preview.amount.toFixed(2)}?`, options)
  const refunded = await api.call(RefundOrder, { params, body })
  if (options.json) return printJson(refunded)
  print(`Order ${order.id ?? ''}: refund of ${refunded.amount.toFixed(2)} is ${refunded.state}.`)
}

function bodyOf(order: Order, options: Options): object {
  const { amount, item: items, delivery, tip, all, reason, message, borneBy } = options
  const hasParts = items.length > 0 || delivery === true || tip === true
  if ([amount !== undefined, hasParts, all === true].filter(Boolean).length !== 1)
    throw new Failure(
      EXIT.usage,
      `Give --all, or --amount, or --item with --delivery and --tip.\n${itemsOf(order).join('\n')}`,
    )
  return {
    amount,
    items: items.length > 0 ? items : undefined,
    includeDelivery: delivery,
    includeTip: tip,
    all,
    reason,
    message,
    borneBy,
  }
}

const itemsOf = ({ items }: Order): string[] =>
  items.map(
    ({ name, totalPrice }, index) => `  --item ${index}: ${name}, ${totalPrice.toFixed(2)} before tax`,
  )

/** Returns the lines that the operator confirms. */
export function linesOf(order: Order, preview: Refund): string[] {
  const { recipient, total, refunds, payment } = order
  // `refundedTotal` excludes pending refunds. Without them, an operator would refund the same again.
  const earlier = refunds
    .filter(({ state }) => state !== 'FAILED')
    .reduce((sum, { amount }) => sum + amount, 0)
  const before = earlier > 0 ? `, ${earlier.toFixed(2)} of it refunded before` : ''
  const how = payment === 'cash' ? 'in cash, by the restaurant' : 'to the card'
  return [
    `Order ${order.id ?? ''} for ${recipient.firstName} ${recipient.lastName}, ${total.toFixed(2)}${before}`,
    ...(preview.items ?? []).map(
      ({ index, amount }) =>
        `  ${order.items[index]?.name ?? `item ${index}`}: ${amount.toFixed(2)} with tax`,
    ),
    `  ${preview.amount.toFixed(2)} in total, ${how}; ${preview.reason}, paid for by the ${preview.borneBy}`,
  ]
}
