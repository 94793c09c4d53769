import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { run } from '../../apps/cli/src/run.ts'

/** The result of a command of the operator's tool. */
export type Ended = { code: number; stdout: string; stderr: string }

const MAIN = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url))

/** No colours, independent of the environment of the test run. */
const PLAIN = { FORCE_COLOR: undefined }

/** Runs the tool in a separate process, like a person. The start takes half a second of CPU, so most tests use `platter`. */
export function platterProcess(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const env = { ...process.env, ...PLAIN, ...environment }
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

let previous: Promise<unknown> = Promise.resolve()

/** Runs the tool in this process. Commands run in sequence, because they share output streams, environment and exit code. */
export function platter(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const ended = previous.then(() => runHere(args, environment))
  previous = ended.catch(() => 'its own test fails')
  return ended
}

async function runHere(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  const ended = { code: 0, stdout: '', stderr: '' }
  const collectors = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      ended[name] += String(text)
      return true
    }),
  )
  for (const [name, value] of Object.entries({ ...PLAIN, ...environment })) vi.stubEnv(name, value)
  try {
    ended.code = await run(args)
    return ended
  } finally {
    for (const collector of collectors) collector.mockRestore()
    vi.unstubAllEnvs()
    // Otherwise the test run would end with this exit code.
    process.exitCode = undefined
  }
}
