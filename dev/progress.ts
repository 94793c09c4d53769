import { styleText } from 'node:util'

/** The output of the launcher. */
export type Reporter = {
  /** Runs `work` and shows its progress, its notes and its duration. */
  readonly step: <T>(label: string, work: (step: Step) => Promise<T>) => Promise<T>
  /** Writes a line. */
  readonly print: (line: string) => void
}

/** The notes of a running step. */
export type Step = {
  /** Shows the current activity in the place of the previous one. */
  readonly now: (text: string) => void
  /** Sets the text that stays beside the finished step. */
  readonly result: (text: string) => void
}

/** Reports to a stream: a live line on a terminal, plain lines elsewhere. */
export function reporterFor(stream: NodeJS.WriteStream): Reporter {
  return stream.isTTY ? terminalReporter(stream) : plainReporter((line) => stream.write(`${line}\n`))
}

/** Reports in plain lines: one at the end of a step, and one for each of its activities. */
export function plainReporter(write: (line: string) => void): Reporter {
  return {
    print: write,
    step: (label, work) =>
      measured(work, {
        now: (text) => write(`  ${label}: ${text}`),
        done: (took, result) => write(`✓ ${[label, result, took].filter(Boolean).join('  ')}`),
        failed: (took) => write(`✗ ${label}  ${took}`),
      }),
  }
}

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

// Finished steps scroll up as plain lines. The running steps share one line at the bottom, which is cleared before each write.
function terminalReporter(stream: NodeJS.WriteStream): Reporter {
  const running = new Map<string, { text: string; since: number }>()
  let timer: NodeJS.Timeout | undefined
  let frame = 0
  const draw = () => {
    if (running.size === 0) return
    const parts = [...running].map(([label, { text, since }]) => {
      const took = Math.floor((performance.now() - since) / 1000)
      return [label, text, took > 0 ? `${took} s` : ''].filter(Boolean).join(' ')
    })
    frame = (frame + 1) % frames.length
    const line = `${frames[frame]} ${parts.join(' · ')}`
    stream.write(`\r\u001B[K${line.slice(0, Math.max(20, stream.columns - 1))}`)
  }
  const print = (line: string) => {
    stream.write(`\r\u001B[K${line}\n`)
    draw()
  }
  const leave = (label: string, line: string) => {
    running.delete(label)
    if (running.size === 0) clearInterval(timer)
    print(line)
  }
  return {
    print,
    step: (label, work) => {
      const entry = { text: '', since: performance.now() }
      if (running.size === 0) timer = setInterval(draw, 100)
      running.set(label, entry)
      draw()
      return measured(work, {
        now: (text) => (entry.text = text),
        done: (took, result) =>
          leave(
            label,
            `${styleText('green', '✓')} ${label}  ${styleText('dim', `${result}  ${took}`.trim())}`,
          ),
        failed: (took) => leave(label, `${styleText('red', '✗')} ${label}  ${styleText('dim', took)}`),
      })
    },
  }
}

type Outcome = {
  readonly now: (text: string) => void
  readonly done: (took: string, result: string) => void
  readonly failed: (took: string) => void
}

async function measured<T>(work: (step: Step) => Promise<T>, outcome: Outcome): Promise<T> {
  const since = performance.now()
  const took = () => `${((performance.now() - since) / 1000).toFixed(1)} s`
  let kept = ''
  try {
    const value = await work({ now: outcome.now, result: (text) => (kept = text) })
    outcome.done(took(), kept)
    return value
  } catch (error) {
    outcome.failed(took())
    throw error
  }
}
