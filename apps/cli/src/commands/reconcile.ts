import {
  BalanceTransactions,
  cents as centsOf,
  epochSeconds,
  formatAmount,
  Reconciliation,
  type ReconciliationCounts,
} from '@platter/contracts'
import { Option, type Command } from 'commander'
import type { z } from 'zod'
import { accountRows, csvLine, HEAD, totalsOf } from '#/commands/accounting.ts'
import { apiFor, addCommand, type Shared } from '#/command.ts'
import { EXIT, Failure } from '#/exit.ts'
import { countOf, progress, print, printJson, printNote, style, when } from '#/output.ts'
import { requirePeriod, since } from '#/parsers.ts'

type Options = Shared & { since: number; until?: number; csv?: boolean }

type Whole = Omit<z.infer<typeof Reconciliation.response>, 'complete'>

export function reconcile(program: Command): void {
  addCommand(program, 'reconcile', {
    summary: 'compare orders, payments, the payment processor and deliveries; exit code 1 for a mismatch',
    examples: [
      'reconcile --since 24h',
      'reconcile --since 2026-11-01 --json | jq ".mismatches"',
      'reconcile --since 2026-10-01 --until 2026-11-01 --csv > october.csv',
    ],
  })
    .addOption(
      new Option('--since <when>', '24h, 7d, a date, or Unix seconds')
        .argParser(since)
        .default(since('24h'), '24h'),
    )
    .addOption(
      new Option(
        '--csv',
        'payments, refunds, disputes and fees of the processor as CSV for an accountant; compares nothing',
      ).conflicts('json'),
    )
    .option('--until <when>', 'the end of the CSV; default: now', since)
    .action(async (options: Options) => {
      if (options.csv) return printAccounts(options)
      if (options.until !== undefined) throw new Failure(EXIT.usage, '--until ends the rows of --csv only.')
      // A wrong year would compare no order, and report that there are no mismatches. The clock of this machine may be up to an hour slow.
      if (options.since > epochSeconds() + 3_600)
        throw new Failure(EXIT.usage, '--since must not be in the future.')
      const whole = await readAll(options)
      process.exitCode = whole.mismatches.length === 0 ? EXIT.ok : EXIT.refused
      if (options.json) return printJson(whole)
      show(whole)
    })
}

/** Prints rows as their pages arrive, and the totals as notes on standard error, so that the file contains only rows. */
async function printAccounts(options: Options): Promise<void> {
  const { since: from, until } = options
  requirePeriod(['--since', '--until'], from, until)
  const query = { since: from, ...(until !== undefined && { until }) }
  let totals = new Map<string, number>()
  print(HEAD.join(','))
  for await (const { transactions } of apiFor(options).pages(BalanceTransactions, { query })) {
    const rows = accountRows(transactions)
    for (const row of rows) print(csvLine(row))
    totals = totalsOf(rows, totals)
  }
  for (const [kind, cents] of totals)
    printNote(`${kind.padEnd(16)} ${formatAmount(centsOf(cents)).padStart(14)}`)
  const sum = [...totals.values()].reduce((all, cents) => all + cents, 0)
  printNote(`${'balance'.padEnd(16)} ${formatAmount(centsOf(sum)).padStart(14)}`)
}

/** Reads all pages and adds up their counts. */
async function readAll(options: Options): Promise<Whole> {
  let whole: z.infer<typeof Reconciliation.response> | null = null
  for await (const part of apiFor(options).pages(Reconciliation, { query: { since: options.since } })) {
    whole = whole ? added(whole, part) : part
    progress(`${countOf(whole.counts.orders, 'order')} …`)
  }
  progress('')
  if (!whole) throw new Error('the reconciliation has no page')
  const { complete: _, ...all } = whole
  return all
}

function added<W extends Whole>(one: W, other: W): W {
  const counts = { ...one.counts }
  for (const name of Object.keys(counts) as (keyof ReconciliationCounts)[]) counts[name] += other.counts[name]
  return {
    ...other,
    since: one.since,
    counts,
    mismatches: [...one.mismatches, ...other.mismatches],
    disputes: [...one.disputes, ...other.disputes],
  }
}

function show({ since: from, until, counts, mismatches, disputes }: Whole): void {
  print(
    `From ${when(from)} to ${when(until)}: ${countOf(counts.orders, 'order')}, ${counts.inProgress} in progress,`,
  )
  print(
    `${counts.charged} charged, ${counts.deliveries} delivered to restaurants, ${countOf(counts.charges, 'charge')} at the processor, ${counts.refunds} with refunds.`,
  )
  for (const { orderApiKey, state, amount, respondBy } of disputes) {
    const deadline = state === 'OPEN' && respondBy !== null ? `, respond by ${when(respondBy)}` : ''
    print(`Dispute of ${orderApiKey}: ${amount.toFixed(2)}, ${state}${deadline}`)
  }
  if (mismatches.length === 0) return print(style('green', 'There are no mismatches.'))
  print(style('red', `${countOf(mismatches.length, 'mismatch', 'mismatches')}:`))
  for (const { orderApiKey, rule, detail, remedy, disagree, says } of mismatches) {
    print()
    print(style('bold', orderApiKey), `  ${rule}: ${detail}`)
    print('  ', remedy)
    for (const [book, words] of Object.entries(says)) {
      const name = book.padEnd(11)
      print('  ', disagree.some((one) => one === book) ? style('red', name) : name, ` ${words ?? 'nothing'}`)
    }
  }
}
