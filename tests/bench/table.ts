import type { Reporter } from '../../dev/progress.ts'
import { idleOf, ratioTo, rowOf, sample, warmUp, type Cpu, type Row, type Sample } from './measure.ts'
import type { Options } from './options.ts'
import { digits } from './report.ts'
import { limitsOf, type Bench, type Subject } from './subjects.ts'

const IDLE_SECONDS = 4
const WARM_CLIENTS = 16

/** Measures the operations and their limits in turns, round after round; what disturbs for longer meets all alike. */
export async function measureTable(
  { subjects, groups }: Bench,
  { operations, clients, seconds, rounds }: Options,
  reporter: Reporter,
): Promise<{ rows: Row[]; idle: Cpu }> {
  await reporter.step('Getting warm', () =>
    warmUp(
      operations.map((operation) => subjectOf(subjects, operation)),
      { clients: WARM_CLIENTS, seconds },
    ),
  )
  const idle = await reporter.step('What is used when nobody asks', () => idleOf(groups, IDLE_SECONDS))
  const order = operations.flatMap((operation) => [operation, ...limitsOf[operation], ...alsoOf(operation)])
  const wanted = [...new Set(order)].map((name) => subjectOf(subjects, name))
  const samples = new Map<string, Sample[]>()
  for (let round = 0; round < rounds; round++)
    for (const each of clients)
      await reporter.step(`Round ${round + 1} of ${rounds}, ${each} clients`, async (step) => {
        for (const subject of wanted) {
          step.now(subject.name)
          const one = await sample(subject, { clients: each, seconds, groups, idle })
          step.now(`${subject.name} ${digits(one.total)} ms`)
          const key = `${subject.name} ${each}`
          samples.set(key, [...(samples.get(key) ?? []), one])
        }
      })
  const rows = clients.flatMap((each) =>
    wanted.map((subject) => rowOf(subject, each, samples.get(`${subject.name} ${each}`) ?? [])),
  )
  return { rows: rows.map((row) => ({ ...row, ratio: ratioOf(row, rows) })), idle }
}

/** Beside its limits, what might be done instead of them. */
const alsoOf = (operation: string): string[] => (operation === 'menu' ? ['nginx: menu'] : [])

function ratioOf(row: Row, rows: readonly Row[]): Row['ratio'] {
  const names: readonly string[] =
    row.kind === 'operation' ? limitsOf[row.subject as keyof typeof limitsOf] : []
  const limits = rows.filter(({ subject, clients }) => clients === row.clients && names.includes(subject))
  return limits.length === 0 ? null : ratioTo(row, limits)
}

/** An operation and everything that was measured because of it, of one number of clients. */
export const groupsOf = (rows: readonly Row[], clients: number): Row[][] =>
  rows
    .filter((row) => row.kind === 'operation' && row.clients === clients)
    .map((row) => [
      row,
      ...rows.filter((one) => one.clients === clients && (row.ratio?.to ?? []).includes(one.subject)),
    ])

function subjectOf(subjects: Bench['subjects'], name: string): Subject {
  const subject = subjects.get(name)
  if (!subject) throw new Error(`there is nothing called ${name}`)
  return subject
}
