import { chownSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'

/** Returns the variables of an .env; null if the file does not exist. */
export function readEnvFile(path: string): { text: string; values: Record<string, string> } | null {
  if (!existsSync(path)) return null
  const text = readFileSync(path, 'utf8')
  return { text, values: parseEnv(text) as Record<string, string> }
}

/** Returns the text of an .env with further variables at its end. Compose would replace `$` in a value without quotes. */
export function withVariables(text: string, added: Readonly<Record<string, string>>): string {
  const lines = Object.entries(added).map(([name, value]) => {
    if (/['\r\n]/.test(value))
      throw new Error(`${name} contains a quote or a line break, which .env cannot have`)
    return /^[\w.:/@,+-]*$/.test(value) ? `${name}=${value}` : `${name}='${value}'`
  })
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${before}${lines.map((line) => `${line}\n`).join('')}`
}

/**
 * Replaces a file atomically, readable only by its owner (0600). A container that runs as root gives the file to the owner of the
 * folder.
 */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.new`
  writeFileSync(draft, text, { mode: 0o600 })
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(dirname(path))
    chownSync(draft, uid, gid)
  }
  renameSync(draft, path)
}
