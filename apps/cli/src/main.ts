#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { EXIT } from '#/exit.ts'

// Compiling the contracts takes half of the start-up time (0.2 s).
enableCompileCache()
// A closed pipe (`| head`) is no error.
process.stdout.on('error', () => process.exit(EXIT.ok))

const { run } = await import('#/run.ts')
process.exitCode = await run(process.argv.slice(2))
