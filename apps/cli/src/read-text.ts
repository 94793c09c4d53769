import { readFileSync } from 'node:fs'
import { EXIT, Failure } from '#/exit.ts'

/** Reads a file that an option or a variable names. `name` is its name in the message of a failure. */
export function readText(file: string, name = file): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Failure(EXIT.usage, `${name} cannot be read: ${(error as Error).message}`)
  }
}
