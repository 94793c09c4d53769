import { formatStatuses, median, tally } from '../../support/statistics.ts'
import { BUSY } from '../frame.ts'
import { ratioOf, sumRounds, type Sample, type Samples } from '../measure.ts'
import { digits, type Section } from '../report.ts'

export type Comparison = Pick<Section, 'name' | 'about'> & {
  /** The subjects, in the order of the table. */
  subjects: readonly string[]
  clients: readonly number[]
  own: Samples
  /** The other side of a subject: one list of samples per part, whose sum counts. A subject without parts has no ratio. */
  others: (subject: string, clients: number) => readonly (readonly Sample[])[]
  /** The figure whose ratio is the result. */
  result: 'cpu' | 'perSecond'
  /** The names of the two sides. */
  sides: readonly [string, string]
}

/** Returns the name of a value of a section: the operation, and the number of clients unless it is `BUSY`. */
const keyOf = (operation: string, clients: number): string =>
  clients === BUSY ? operation : `${operation}, ${clients} clients`

/** Compares the subjects of two sides, round by round. */
export function comparison(declared: Comparison): Section {
  const { name, about, subjects, clients, result, sides } = declared
  const [ownName, otherName] = sides
  const rows = subjects.flatMap((subject) =>
    clients.map((each) => {
      const own = declared.own(subject, each)
      const parts = declared.others(subject, each)
      const sumOf = (figure: 'cpu' | 'perSecond') =>
        sumRounds(parts.map((samples) => samples.map((one) => one[figure])))
      const ownRounds = own.map((one) => one[result])
      const ratio = parts.length === 0 ? null : ratioOf(ownRounds, sumOf(result))
      return { subject, each, key: keyOf(subject, each), own, parts, otherCpu: sumOf('cpu'), ratio }
    }),
  )
  return {
    name,
    about,
    columns: [
      '',
      'clients',
      `${ownName}: a second`,
      `${otherName}: a second`,
      `${ownName} / ${otherName}, ${result === 'cpu' ? 'CPU' : 'a second'}`,
      'quartiles',
      `${ownName}: CPU ms`,
      `${otherName}: CPU ms`,
      'p50 ms',
      'p99 ms',
      'failed',
    ],
    lines: rows.map(({ subject, each, own, parts, otherCpu, ratio }) => [
      subject,
      each,
      perSecond(own),
      // Several parts have no rate together.
      parts.length === 1 ? perSecond(parts[0]!) : '',
      ratio?.value.toFixed(2) ?? '',
      ratio?.quartiles ?? '',
      digits(middle(own, 'cpu')),
      ratio ? digits(median(otherCpu)) : '',
      digits(middle(own, 'p50')),
      digits(middle(own, 'p99')),
      formatStatuses(tally(own.flatMap(({ failed }) => failed))) || 0,
    ]),
    values: Object.fromEntries(
      rows.flatMap(({ key, own, ratio }) => [
        [key, ratio?.value ?? NaN],
        [`${key}: CPU`, middle(own, 'cpu')],
        [`${key}: a second`, perSecond(own)],
      ]),
    ),
  }
}

/** Returns the median of the rounds. */
const middle = (samples: readonly Sample[], figure: 'cpu' | 'perSecond' | 'p50' | 'p99') =>
  median(samples.map((one) => one[figure]))
const perSecond = (samples: readonly Sample[]) => Math.round(middle(samples, 'perSecond'))
