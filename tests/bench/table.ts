import { join } from 'node:path'
import { median } from '../support/statistics.ts'
import {
  cpuRounds,
  measureInTurns,
  middle,
  newSide,
  ratioOf,
  samplesOf,
  sumRounds,
  type Side,
} from './measure.ts'
import { scenarioOf, type OperationName } from './operations.ts'
import type { Platform } from './platform.ts'
import type { Row } from './report.ts'
import type { Frame } from './sections/frame.ts'
import { operationsOn, orderLimits, readLimits, type Subject } from './subjects.ts'

const CLIENTS = [1, 16, 64]

/** Measures operations and their limits in turns; `cleanup` stops the processes of the limits. */
export async function measureTable(
  platform: Platform,
  frame: Frame,
  { operations, cleanup }: { operations: readonly OperationName[]; cleanup: AsyncDisposableStack },
): Promise<Row[]> {
  const { generator, directory, reporter } = frame
  const side = newSide(
    operationsOn(platform, generator),
    await readLimits(platform, cleanup, { directory: join(directory, 'bench-limits'), reporter, generator }),
    await orderLimits(platform, cleanup),
  )
  const names = operations.flatMap((operation) => [
    operation,
    ...scenarioOf(operation).limits,
    // The alternative to a proxy, for comparison.
    ...(operation === 'menu' ? ['nginx: menu'] : []),
  ])
  const subjects = [...new Set(names)]
  await measureInTurns([side], { ...frame, name: 'operations', subjects, clients: CLIENTS })
  const found = subjects.map((name) => side.subjects.find((one) => one.name === name)!)
  return CLIENTS.flatMap((clients) => found.map((subject) => rowOf(side, subject, clients)))
}

function rowOf(side: Side, { name, kind, about, counts }: Subject, clients: number): Row {
  const samples = samplesOf(side, name, clients)
  const groups = [...counts, ...(kind === 'operation' ? ['processor'] : [])]
  const limits = kind === 'operation' ? scenarioOf(name as OperationName).limits : []
  const cpu = cpuRounds(samples)
  const parts = limits.map((limit) => cpuRounds(samplesOf(side, limit, clients)))
  return {
    subject: name,
    kind,
    about,
    clients,
    perSecond: middle(samples, (one) => one.perSecond),
    p50: middle(samples, (one) => one.p50),
    p99: middle(samples, (one) => one.p99),
    failed: samples.reduce((sum, { failed }) => sum + failed, 0),
    cpu: median(cpu),
    byProcess: Object.fromEntries(
      groups.map((group) => [group, middle(samples, (one) => one.cpuByGroup[group] ?? 0)]),
    ),
    memory: Object.fromEntries(
      counts.map((group) => [group, Math.max(...samples.map((one) => one.memory[group] ?? 0))]),
    ),
    ratio: parts.length === 0 ? null : ratioOf(cpu, sumRounds(parts)),
  }
}
