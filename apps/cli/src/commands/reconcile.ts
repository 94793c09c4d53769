import { Reconciliation, type Mismatch, type ReconciliationCounts } from '@platter/contracts'
import type { Command } from 'commander'
import { apiFor, addCommand, type Shared } from '#/command.ts'
import { EXIT } from '#/exit.ts'
import { progress, print, printJson, style, when } from '#/output.ts'
import { since } from '#/since.ts'

type Whole = { since: number; until: number; counts: ReconciliationCounts; mismatches: Mismatch[] }

export function reconcile(program: Command): void {
  addCommand(program, 'reconcile', {
    summary: 'compare orders, payments, the payment processor and deliveries; exit code 1 for a mismatch',
    examples: ['reconcile --since 24h', 'reconcile --since 2026-11-01 --json | jq ".mismatches"'],
  })
    .option('--since <when>', '24h, 7d, a date, or Unix seconds', (text) => since(text), since('24h'))
    .action(async (options: Shared & { since: number }) => {
      const whole = await readAll(options)
      process.exitCode = whole.mismatches.length === 0 ? EXIT.ok : EXIT.refused
      if (options.json) return printJson(whole)
      show(whole)
    })
}

/** Reads all pages and adds up their counts. */
async function readAll(options: Shared & { since: number }): Promise<Whole> {
  let whole: Whole | null = null
  for await (const part of apiFor(options).pages(Reconciliation, { query: { since: options.since } })) {
    whole = whole ? added(whole, part) : part
    progress(`${whole.counts.orders} orders …`)
  }
  progress('')
  if (!whole) throw new Error('the reconciliation has no page')
  return { since: whole.since, until: whole.until, counts: whole.counts, mismatches: whole.mismatches }
}

function added(one: Whole, other: Whole): Whole {
  const counts = { ...one.counts }
  for (const name of Object.keys(counts) as (keyof ReconciliationCounts)[]) counts[name] += other.counts[name]
  return { ...other, since: one.since, counts, mismatches: [...one.mismatches, ...other.mismatches] }
}

function show({ since: from, until, counts, mismatches }: Whole): void {
  print(
    `From ${when(from)} to ${when(until)}: ${counts.orders} orders, ${counts.inProgress} of them in progress,`,
  )
  print(
    `${counts.charged} charged, ${counts.deliveries} delivered to restaurants, ${counts.charges} charges at the processor.`,
  )
  if (mismatches.length === 0) return print(style('green', 'There are no mismatches.'))
  print(style('red', `${mismatches.length} ${mismatches.length === 1 ? 'mismatch' : 'mismatches'}:`))
  for (const { orderApiKey, rule, detail, disagree, says } of mismatches) {
    print()
    print(style('bold', orderApiKey), `  ${rule}: ${detail}`)
    for (const [book, words] of Object.entries(says)) {
      const name = book.padEnd(11)
      print('  ', disagree.some((one) => one === book) ? style('red', name) : name, ` ${words ?? 'nothing'}`)
    }
  }
}
