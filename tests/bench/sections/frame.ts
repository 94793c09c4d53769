import { join } from 'node:path'
import { plainReporter, type Reporter } from '../../../dev/progress.ts'
import { serviceNames } from '../../../dev/stack/services.ts'
import type { LoadGenerator } from '../../support/load/generator.ts'
import type { Groups } from '../../support/processes.ts'
import { startPlatform, type Platform, type PlatformOptions } from '../platform.ts'

/** The parameters of all sections. */
export type Frame = {
  directory: string
  generator: LoadGenerator
  reporter: Reporter
  telemetry: string
  seconds: number
  rounds: number
}

/** Enough clients to keep two cores busy, but few enough to avoid long queues. */
export const BUSY = 16

/** Returns the name of a value of a section: the operation, and the number of clients unless it is `BUSY`. */
export const keyOf = (operation: string, clients: number): string =>
  clients === BUSY ? operation : `${operation}, ${clients === 1 ? 'quiet' : `${clients} clients`}`

/** The processes of the services. */
export const servicesOf = ({ groups }: { groups: Groups }): Groups =>
  Object.fromEntries(serviceNames.map((name) => [name, groups[name] ?? (() => [])]))

export type Setting = Pick<PlatformOptions, 'replicas' | 'telemetry' | 'commit'>

/**
 * Starts a stack for each setting, without progress output. All stacks are new: the compiled code of a stack depends on the
 * operations that it has run.
 */
export const openStacks = (
  { directory, reporter }: Frame,
  cleanup: AsyncDisposableStack,
  settings: readonly Setting[],
): Promise<Platform[]> =>
  reporter.step(`${settings.length} stacks side by side`, () =>
    Array.fromAsync(settings, async (setting, at) => {
      const platform = await startPlatform({
        ...setting,
        directory: join(directory, `bench-side-${at}`),
        reporter: plainReporter(() => undefined),
      })
      cleanup.defer(() => platform.stop())
      return platform
    }),
  )
