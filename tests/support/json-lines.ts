import { readFile } from 'node:fs/promises'

/** Reads the entries of a development ledger (one JSON object per line). Returns none if the file does not exist yet. */
export async function readLines<T>(file: string): Promise<T[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  })
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)
}
