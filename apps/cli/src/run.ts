import { EXIT, Failure } from '#/exit.ts'
import { complain, sayJson } from '#/output.ts'
import { programWith } from '#/program.ts'

// A reader that is gone (`| head`) wants no more of it.
process.stdout.on('error', () => process.exit(EXIT.ok))

const program = programWith((code) => process.exit(code === 0 ? EXIT.ok : EXIT.usage))

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof Failure)) throw error
  if (process.argv.includes('--json') && error.document !== undefined) sayJson(error.document)
  complain(error.message)
  process.exitCode = error.code
}
