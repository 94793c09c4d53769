import { createInterface } from 'node:readline/promises'
import { EXIT, Failure } from '#/exit.ts'

/**
 * Asks for confirmation at the terminal; `--yes` confirms in scripts. Throws Failure for any answer except y or yes. It also throws
 * without a terminal, so that a script never cancels or refunds by accident.
 */
export async function confirm(question: string, { yes = false }: { yes?: boolean }): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY)
    throw new Failure(EXIT.usage, `${question} Without a terminal, repeat the command with --yes.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    // Ctrl+C and Ctrl+D reject.
    const answer = await terminal.question(`${question} [y/N] `).catch(() => {
      process.stderr.write('\n')
      return ''
    })
    if (!/^y(es)?$/i.test(answer.trim())) throw new Failure(EXIT.refused, 'Nothing was changed.')
  } finally {
    terminal.close()
  }
}
