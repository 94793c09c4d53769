import { CommanderError } from 'commander'
import { Rejected } from '#/api.ts'
import { EXIT, Failure } from '#/exit.ts'
import { printError, printJson } from '#/output.ts'
import { createProgram } from '#/program.ts'

/** Runs a command, which prints to the output streams of this process. Returns its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? EXIT.ok)
  } catch (error) {
    // After its help, the end of a command is an error as well.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    if (!(error instanceof Failure)) throw error
    if (args.includes('--json') && error instanceof Rejected) printJson(error.problem)
    printError(error.message)
    return error.code
  }
}
