import { fileURLToPath } from 'node:url'
import { plainReporter } from '../../dev/progress.ts'
import { startStack, type Stack, type StackOptions } from '../../dev/stack.ts'

export const print = (line: string) => process.stderr.write(`${line}\n`)

/** Starts a stack in `.run/NAME`, without the data of earlier runs. */
export const startTestStack = (name: string, options: Omit<StackOptions, 'runDirectory'>): Promise<Stack> =>
  startStack({
    runDirectory: fileURLToPath(new URL(`../../.run/${name}`, import.meta.url)),
    reporter: plainReporter(print),
    fresh: true,
    ...options,
  })
