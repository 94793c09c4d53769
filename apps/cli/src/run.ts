import { EXIT, Failure } from '#/exit.ts'
import { printError, printJson } from '#/output.ts'
import { programWith } from '#/program.ts'

// A closed pipe (`| head`) is not an error.
process.stdout.on('error', () => process.exit(EXIT.ok))

const program = programWith((code) => process.exit(code === 0 ? EXIT.ok : EXIT.usage))

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof Failure)) throw error
  if (process.argv.includes('--json') && error.document !== undefined) printJson(error.document)
  printError(error.message)
  process.exitCode = error.code
}
