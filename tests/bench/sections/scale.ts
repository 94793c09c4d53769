import type { Reporter } from '../../../dev/progress.ts'
import type { Options } from '../options.ts'
import type { Section } from '../report.ts'

export async function scale(
  _options: Options,
  _frame: { telemetry: string; reporter: Reporter; root: string },
): Promise<Section> {
  throw new Error('not yet')
}
