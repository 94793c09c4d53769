import type { Reporter } from '../../dev/progress.ts'
import type { LoadGenerator } from '../support/load/generator.ts'
import type { OperationName } from './operations.ts'
import { startPlatform, type Platform, type Setting } from './platform.ts'

/** The parameters of all sections. */
export type Frame = {
  generator: LoadGenerator
  reporter: Reporter
  /** The receiver of traces, metrics and logs. */
  telemetry: string
  seconds: number
  rounds: number
  /** The operations to measure. */
  operations: readonly OperationName[]
}

/** Enough clients to keep two cores busy, but few enough to avoid long queues. */
export const BUSY = 16

/** Starts a stack for each setting. All are new: the compiled code of a stack depends on the operations that it has run. */
export const openStacks = (
  { reporter, telemetry }: Frame,
  cleanup: AsyncDisposableStack,
  settings: readonly Setting[],
): Promise<Platform[]> =>
  reporter.step(`Stacks: ${settings.length}`, () =>
    Array.fromAsync(settings, (setting, at) =>
      startPlatform(cleanup, { directory: `bench-side-${at}`, telemetry }, setting),
    ),
  )
