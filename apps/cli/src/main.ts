#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { EXIT } from '#/exit.ts'

// Compiling the contracts takes half of the start-up time (0.2 s).
enableCompileCache()
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A closed pipe (`| head`) is no error. A full disk is one: a file may lack the key that is shown only once.
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(`The output could not be written: ${error.message}\n`)
  process.exit(EXIT.refused)
})

const { run } = await import('#/run.ts')
process.exitCode = await run(process.argv.slice(2))
