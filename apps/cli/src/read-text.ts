import { readFileSync } from 'node:fs'
import { EXIT, Failure } from '#/exit.ts'

/** Reads a file that an option or a variable names. `name` is its name in the message of a failure. */
export const readText = (file: string, name?: string): string => readBytes(file, name).toString()

export function readBytes(file: string, name = file): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Failure(EXIT.usage, `${name} cannot be read: ${(error as Error).message}`)
  }
}
