import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { operationNames, type OperationName } from './operations.ts'

/** What else is measured, beside the table of operations. */
export const sectionNames = ['paced', 'replicas', 'tracing', 'memory', 'scale'] as const
export type SectionName = (typeof sectionNames)[number]

export type Options = {
  operations: readonly OperationName[]
  sections: readonly SectionName[]
  clients: readonly number[]
  seconds: number
  rounds: number
  /** Requests to each service in the section `memory`. */
  requests: number
  /** Orders and restaurants of each stack in the section `scale`. */
  sizes: readonly { orders: number; restaurants: number }[]
  out: string
  against: string | null
  /** Measures the working tree beside this commit, and what else its targets name. */
  againstCommit: string | null
  writeDocs: boolean
}

export const help = `npm run bench -- [options]

  --short               16 clients, 2 rounds of 1 s and the paced orders: less than three minutes
  --only a,b            operations (${operationNames.join(', ')})
                        or sections (${sectionNames.join(', ')}) only
  --scale               the section scale, which is left out otherwise
  --concurrency 1,16,64 clients at once
  --seconds 3           of each measurement
  --rounds 5            in which everything is measured in turns
  --requests 100000     to each service, in the section memory
  --sizes 1000:10,…     orders and restaurants of each stack, in the section scale
  --out DIR             where report.md, report.json and the chart go; .run/bench when not given
  --against FILE        an earlier report.json: what got worse by more than the noise of both is named
  --against-commit REV  the working tree beside another commit, both stacks taking turns, with 16 and 64 clients;
                        with --rounds 5 --seconds 1 in about twelve minutes
  --write-docs          puts the tables into docs/performance.md`

/** Throws an error with a sentence for whoever has mistyped something. */
export function readOptions(args: readonly string[], root: string): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string' },
      scale: { type: 'boolean', default: false },
      concurrency: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      requests: { type: 'string', default: '100000' },
      sizes: { type: 'string', default: '1000:10,100000:1000,1000000:10000' },
      out: { type: 'string', default: `${root}/.run/bench` },
      against: { type: 'string' },
      'against-commit': { type: 'string' },
      'write-docs': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const { short, only } = values
  const { concurrency, seconds, rounds } = { ...(short ? SHORT : LONG), ...values }
  return {
    ...(only === undefined ? usually(values) : named(only.split(','))),
    clients: concurrency.split(',').map((text) => positive(text)),
    seconds: positive(seconds),
    rounds: positive(rounds),
    requests: positive(values.requests),
    sizes: values.sizes.split(',').map((pair) => {
      const [orders = '', restaurants = ''] = pair.split(':')
      return { orders: positive(orders), restaurants: positive(restaurants) }
    }),
    out: values.out,
    against: values.against ?? null,
    againstCommit: values['against-commit'] ?? null,
    writeDocs: values['write-docs'],
  }
}

const SHORT = { concurrency: '16', seconds: '1', rounds: '2' }
const LONG = { concurrency: '1,16,64', seconds: '3', rounds: '5' }

type Wanted = Pick<Options, 'operations' | 'sections'>

/** `--scale` alone measures nothing else: three stacks and a million orders are enough for a run. */
function usually({ short, scale }: { short: boolean; scale: boolean }): Wanted {
  if (scale) return { operations: [], sections: ['scale'] }
  return {
    operations: operationNames,
    sections: short ? ['paced'] : ['paced', 'replicas', 'tracing', 'memory'],
  }
}

function named(names: readonly string[]): Wanted {
  const unknown = names.filter((name) => !isOperation(name) && !isSection(name))
  if (unknown.length > 0) throw new Error(`--only: there is no ${unknown.join(', ')}`)
  return { operations: names.filter(isOperation), sections: names.filter(isSection) }
}

const isOperation = (name: string): name is OperationName =>
  (operationNames as readonly string[]).includes(name)
const isSection = (name: string): name is SectionName => (sectionNames as readonly string[]).includes(name)

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`"${text}" is not a number greater than 0`)
  return value
}

/** On which machine; a figure says nothing without it. */
export const cores = availableParallelism()
