import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runAtTerminal } from '@platter/testkit'
import { vi } from 'vitest'
import { run } from '../../apps/cli/src/run.ts'

/** The result of a command of the operator's tool. */
export type Ended = { code: number; stdout: string; stderr: string }

export const MAIN = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url))

/** No colours, independent of the environment of the test run. */
const PLAIN = { FORCE_COLOR: undefined }

/** Runs the tool in a separate process, like a person. The start takes half a second of CPU, so most tests use `platter`. */
export async function platterProcess(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const env = { ...process.env, ...PLAIN, ...environment }
  const ended = promisify(execFile)(process.execPath, [MAIN, ...args], { env })
  const { stdout, stderr, code = 0 }: Partial<Ended> = await ended.catch((error: unknown) => error as Ended)
  return { code, stdout, stderr }
}

/** Runs the tool at a terminal, and types `keys` at the prompt of a confirmation. */
export const platterAtTerminal = (
  args: readonly string[],
  keys: string,
  environment: Record<string, string>,
) =>
  runAtTerminal([process.execPath, MAIN, ...args], {
    prompt: '[y/N]',
    keys,
    env: { ...process.env, ...environment },
  })

/** Runs the tool in this process. One command at a time can run, because it uses output streams, environment and exit code. */
export async function platter(
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const [stdout, stderr] = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockReturnValue(true),
  )
  const textOf = (written = stdout) => written?.mock.calls.map(([text]) => String(text)).join('') ?? ''
  for (const [name, value] of Object.entries({ ...PLAIN, ...environment })) vi.stubEnv(name, value)
  try {
    return { code: await run(args), stdout: textOf(), stderr: textOf(stderr) }
  } finally {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    // Otherwise the test run would end with this exit code.
    process.exitCode = undefined
  }
}
