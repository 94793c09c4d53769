import { styleText } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { countOf, printError, printNote, print, printJson, style, table } from '#/output.ts'

/** A reason that clears the screen, colours and reverses the rest, and adds a line. */
const HOSTILE = '\u001B[2J\u009B31mrefused\u202E\nThere are no incidents.'
const SHOWN = String.raw`\u001b[2J\u009b31mrefused\u202e\u000aThere are no incidents.`

function written(stream: 'stdout' | 'stderr', work: () => void): string {
  const write = vi.spyOn(process[stream], 'write').mockReturnValue(true)
  work()
  return write.mock.calls.map(([text]) => String(text)).join('')
}

afterEach(() => {
  vi.restoreAllMocks()
})

test('a stored text is printed with escaped control characters, and adds no line', () => {
  expect(written('stdout', () => print('reason: ', HOSTILE))).toBe(`reason: ${SHOWN}\n`)
  vi.restoreAllMocks()
  expect(written('stdout', () => table(['reason', 'count'], [[HOSTILE, 1]]))).toBe(
    `${'reason'.padEnd(SHOWN.length)}  count\n${SHOWN}  1\n`,
  )
})

test('a styled text contains only the control sequences of its style', () => {
  vi.stubEnv('FORCE_COLOR', '1')
  const line = written('stdout', () => print(style('bold', HOSTILE)))
  expect(line).toBe(`${styleText('bold', SHOWN, { validateStream: false })}\n`)
})

test('JSON keeps its value, and has no control characters', () => {
  const line = written('stdout', () => printJson({ reason: HOSTILE }))
  expect(JSON.parse(line)).toEqual({ reason: HOSTILE })
  expect(line).not.toMatch(/[\u0080-\u009F\u202E]/)
})

test('an error of several lines keeps its lines, with escaped control characters', () => {
  expect(written('stderr', () => printNote(HOSTILE))).toBe(`${SHOWN.replace(String.raw`\u000a`, '\n')}\n`)
  vi.restoreAllMocks()
  expect(written('stderr', () => printError('no\u009B31m'))).toContain(String.raw`no\u009b31m`)
})

test('a count of one has the singular', () => {
  expect([0, 1, 2].map((count) => countOf(count, 'order'))).toEqual(['0 orders', '1 order', '2 orders'])
  expect([1, 2].map((count) => countOf(count, 'mismatch', 'mismatches'))).toEqual([
    '1 mismatch',
    '2 mismatches',
  ])
})
