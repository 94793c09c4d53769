import { parseArgs } from 'node:util'
import { operationNames, type OperationName } from './operations.ts'

/** Measurements in addition to the table of operations. */
const SECTIONS = ['paced', 'replicas', 'tracing', 'memory', 'scale'] as const
type SectionName = (typeof SECTIONS)[number]

export type Options = {
  operations: readonly OperationName[]
  sections: readonly SectionName[]
  seconds: number
  rounds: number
  /** The commit to measure beside the working tree. */
  againstCommit: string | null
  writeDocs: boolean
}

export const HELP = `npm run bench -- [options]

  --only a,b            operations (${operationNames.join(', ')})
                        or sections (${SECTIONS.join(', ')}) only; scale is left out otherwise
  --seconds 3           of each measurement
  --rounds 5            in which all subjects take turns
  --against-commit REV  the working tree beside another commit, both stacks taking turns, with 16 and 64 clients;
                        with --rounds 5 --seconds 1 in about twelve minutes
  --write-docs          writes the tables into docs/performance.md`

/** Parses the arguments. Throws an error with a sentence for a wrong argument. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '5' },
      'against-commit': { type: 'string' },
      'write-docs': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  return {
    ...wanted(values.only?.split(',') ?? [...operationNames, 'paced', 'replicas', 'tracing', 'memory']),
    seconds: positive(values.seconds),
    rounds: positive(values.rounds),
    againstCommit: values['against-commit'] ?? null,
    writeDocs: values['write-docs'],
  }
}

function wanted(names: readonly string[]): Pick<Options, 'operations' | 'sections'> {
  const operations = operationNames.filter((name) => names.includes(name))
  const sections = SECTIONS.filter((name) => names.includes(name))
  const known: readonly string[] = [...operations, ...sections]
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`--only: there is no ${unknown.join(', ')}`)
  return { operations, sections }
}

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`"${text}" is not a number greater than 0`)
  return value
}
