import { spawn } from 'node:child_process'
import { once } from 'node:events'

type Typing = {
  /** The keys are typed when the output first contains this text. */
  prompt: string
  keys: string
  env?: NodeJS.ProcessEnv
}

/**
 * Runs a command at a terminal, which the program `script` of util-linux provides. Returns its exit code, and its output with the
 * echo of the keys. Rejects if there is no `script`.
 */
export async function runAtTerminal(
  command: readonly string[],
  { prompt, keys, env = process.env }: Typing,
): Promise<{ code: number; output: string }> {
  const words = command.map((word) => `'${word}'`)
  const terminal = spawn('script', ['-qec', words.join(' '), '/dev/null'], { env })
  let output = ''
  terminal.stdout.on('data', (part: Buffer) => {
    const hadPrompt = output.includes(prompt)
    output += String(part)
    if (!hadPrompt && output.includes(prompt)) terminal.stdin.write(keys)
  })
  const [code] = (await once(terminal, 'close')) as [number]
  return { code, output }
}
