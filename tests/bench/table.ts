import { join } from 'node:path'
import { serviceNames } from '../../dev/stack/services.ts'
import { median } from '../support/statistics.ts'
import {
  cpuRounds,
  measureInTurns,
  middle,
  newSide,
  ratioOf,
  samplesOf,
  sumRounds,
  type Ratio,
  type Sample,
  type Side,
} from './measure.ts'
import { scenarioOf, type OperationName } from './operations.ts'
import type { Platform } from './platform.ts'
import { digits, type Section } from './report.ts'
import { keyOf, type Frame } from './sections/frame.ts'
import { operationsOn, orderLimits, readLimits, type Subject } from './subjects.ts'

const CLIENTS = [1, 16, 64]

/** Measures operations and their limits in turns. `cleanup` stops the processes of the limits. */
export async function measureTable(
  platform: Platform,
  frame: Frame,
  { operations, cleanup }: { operations: readonly OperationName[]; cleanup: AsyncDisposableStack },
): Promise<Section[]> {
  const { generator, directory, reporter } = frame
  const side = newSide(
    operationsOn(platform, generator),
    await readLimits(platform, cleanup, { directory: join(directory, 'bench-limits'), reporter, generator }),
    await orderLimits(platform, cleanup),
  )
  const names = operations.flatMap((operation) => [
    operation,
    ...scenarioOf(operation).limits,
    // nginx without a proxy is the alternative, measured for comparison.
    ...(operation === 'menu' ? ['nginx: menu'] : []),
  ])
  const subjects = [...new Set(names)]
  await measureInTurns([side], { ...frame, name: 'operations', subjects, clients: CLIENTS })
  const found = subjects.map((name) => side.subjects.find((one) => one.name === name)!)
  const rows = CLIENTS.flatMap((clients) => found.map((subject) => rowOf(side, subject, clients)))
  return [operationSection(rows), processSection(rows)]
}

/** A subject at a number of clients. `ratio` is its CPU divided by the CPU of its limits together, or null for a limit. */
type Row = { subject: Subject; clients: number; samples: readonly Sample[]; ratio: Ratio | null }

function rowOf(side: Side, subject: Subject, clients: number): Row {
  const samples = samplesOf(side, subject.name, clients)
  const limits = subject.kind === 'operation' ? scenarioOf(subject.name as OperationName).limits : []
  const parts = limits.map((limit) => cpuRounds(samplesOf(side, limit, clients)))
  const ratio = parts.length === 0 ? null : ratioOf(cpuRounds(samples), sumRounds(parts))
  return { subject, clients, samples, ratio }
}

const labelOf = ({ kind, name }: Subject): string =>
  kind === 'limit' ? `_${name}_` : `**${name}**: ${scenarioOf(name as OperationName).about}`

const operationSection = (rows: readonly Row[]): Section => ({
  name: 'Operations and their limits',
  about: 'Limits are in italics.',
  columns: ['', 'clients', 'CPU ms', '× limit', 'a second', 'p50 ms', 'p99 ms', 'memory MB', 'failed'],
  lines: rows.map(({ subject, clients, samples, ratio }) => [
    labelOf(subject),
    clients,
    digits(median(cpuRounds(samples))),
    ratio ? `${ratio.value.toFixed(2)} ±${Math.round(ratio.noise * 100)} %` : '',
    Math.round(middle(samples, (one) => one.perSecond)),
    digits(middle(samples, (one) => one.p50)),
    digits(middle(samples, (one) => one.p99)),
    largest(subject, samples),
    samples.reduce((sum, { failed }) => sum + failed, 0),
  ]),
  values: Object.fromEntries(
    rows.flatMap(({ subject, clients, samples, ratio }) => {
      const key = keyOf(subject.name, clients)
      return [
        [`${key}: CPU`, median(cpuRounds(samples))],
        [`${key}: a second`, middle(samples, (one) => one.perSecond)],
        ...(ratio ? [[`${key}: ratio`, ratio.value] as const] : []),
      ]
    }),
  ),
})

/** Returns the peak of the largest process. It includes only services, because the memory of a server depends on its settings. */
function largest({ kind, counts }: Subject, samples: readonly Sample[]): number {
  const services: readonly string[] = serviceNames
  const counted = counts.filter((group) => kind === 'limit' || services.includes(group))
  return Math.max(...samples.flatMap(({ memory }) => counted.map((group) => memory[group] ?? 0)))
}

const groupsOf = ({ kind, counts }: Subject) => [...counts, ...(kind === 'operation' ? ['processor'] : [])]

function processSection(rows: readonly Row[]): Section {
  const processes = [...new Set(rows.flatMap(({ subject }) => groupsOf(subject)))]
  return {
    name: 'CPU by process',
    about: 'CPU ms of an operation.',
    columns: ['', 'clients', ...processes],
    lines: rows.map(({ subject, clients, samples }) => {
      const groups = groupsOf(subject)
      const cells = processes.map((group) =>
        groups.includes(group) ? digits(middle(samples, (one) => one.cpuByGroup[group] ?? 0)) : '',
      )
      return [subject.name, clients, ...cells]
    }),
    values: {},
  }
}
