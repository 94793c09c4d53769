import { styleText } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { complain, note, say, sayJson, style, table } from '#/output.ts'

/** A reason that clears the screen, colours what follows, reverses it, and adds a line of its own. */
const HOSTILE = '\u001B[2J\u009B31mrefused\u202E\nNothing needs you.'
const SHOWN = String.raw`\u001b[2J\u009b31mrefused\u202e\u000aNothing needs you.`

function written(stream: 'stdout' | 'stderr', print: () => void): string {
  const write = vi.spyOn(process[stream], 'write').mockReturnValue(true)
  print()
  return write.mock.calls.map(([text]) => String(text)).join('')
}

afterEach(() => {
  vi.restoreAllMocks()
})

test('what is stored is shown with its control characters escaped, and adds no line', () => {
  expect(written('stdout', () => say('reason: ', HOSTILE))).toBe(`reason: ${SHOWN}\n`)
  vi.restoreAllMocks()
  expect(written('stdout', () => table(['reason', 'count'], [[HOSTILE, 1]]))).toBe(
    `${'reason'.padEnd(SHOWN.length)}  count\n${SHOWN}  1\n`,
  )
})

test('a coloured text has the control sequences of its colour only', () => {
  vi.stubEnv('FORCE_COLOR', '1')
  const line = written('stdout', () => say(style('bold', HOSTILE)))
  expect(line).toBe(`${styleText('bold', SHOWN, { validateStream: false })}\n`)
})

test('JSON means the same, and a terminal obeys nothing in it', () => {
  const line = written('stdout', () => sayJson({ reason: HOSTILE }))
  expect(JSON.parse(line)).toEqual({ reason: HOSTILE })
  expect(line).not.toMatch(/[\u0080-\u009F\u202E]/)
})

test('an error of several lines stays one, with its control characters escaped', () => {
  expect(written('stderr', () => note(HOSTILE))).toBe(`${SHOWN.replace(String.raw`\u000a`, '\n')}\n`)
  vi.restoreAllMocks()
  expect(written('stderr', () => complain('no\u009B31m'))).toContain(String.raw`no\u009b31m`)
})
