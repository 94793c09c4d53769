import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { filesIn } from './files.ts'

/*
 * Many patterns process the input of clients. A pattern with catastrophic backtracking blocks a process for minutes. This test runs
 * each pattern of the sources on inputs that cause it.
 */

const root = join(import.meta.dirname, '../..')
const LENGTH = 100_000
/**
 * The limit for all inputs of a pattern. Linear patterns need some milliseconds, others seconds for each input. The margin is for a
 * busy machine.
 */
const WITHIN_MS = 20_000

/** A literal with its flags, where an expression may begin. */
const LITERAL =
  /(?<=[=(,:[!&|?{};]\s*|return\s+|^\s*)\/(?![*/])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/gm
const CONSTRUCTED = /new RegExp\((?:String\.raw)?[`'"](.+?)[`'"](?:, '(\w+)')?\)/g

type Pattern = { where: string; source: string; flags: string }

function patternsIn(file: string): Pattern[] {
  const lines = readFileSync(join(root, file), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(\*|\/\*|\/\/)/.test(line))
  const text = lines.join('\n')
  return [...text.matchAll(LITERAL), ...text.matchAll(CONSTRUCTED)].flatMap(([, source = '', flags = '']) =>
    // A template inserts another pattern, or a name.
    [{ where: `${file}: /${source}/${flags}`, source: source.replaceAll(/\$\{\w+\}/g, '(?:a|1)+'), flags }],
  )
}

const files = filesIn(root, ['packages', 'services']).filter(
  (file) => file.endsWith('.ts') && !file.includes('.test.') && !/\/testing\/|testkit/.test(file),
)
const patterns = files.flatMap(patternsIn)

/** Returns long runs of text that a pattern may match, alone and alternating, with an end that it cannot match. */
function inputsFor(source: string): string[] {
  const named = [...new Set(source.replaceAll(/\\[a-zA-Z]/g, '').match(/[^\\^$.*+?()[\]{}|]/g) ?? [])].slice(
    0,
    12,
  )
  const units = ['0', 'a', 'A', ' ', '-', '.', '@', '"', '/', '%', '\t', '\n', '[', 'é', ...named]
  const pairs = [
    '0 ',
    '0-',
    'a ',
    'a.',
    'a@',
    '0.',
    ' ,',
    '""',
    '\\"',
    '--',
    ...named.map((one) => `${one}0`),
  ]
  return [...new Set([...units, ...pairs])].flatMap(runsOf)
}

const known = new Map<string, string[]>()
/** Most patterns have the same units, whose texts take longer to create than to match. */
function runsOf(unit: string): string[] {
  const found = known.get(unit)
  if (found) return found
  const run = unit.repeat(LENGTH / unit.length)
  const runs = [run, `${run}!`, `${run}\u0000`, `!${run}`]
  known.set(unit, runs)
  return runs
}

/** Returns true if a pattern exceeds the time. V8 stops it then. */
function isSlow({ source, flags }: Omit<Pattern, 'where'>, inputs: string[], withinMs = WITHIN_MS): boolean {
  const script = 'for (const input of inputs) input.replace(new RegExp(source, flags), "")'
  try {
    runInNewContext(script, { inputs, source, flags }, { timeout: withinMs })
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return true
    throw error
  }
}

test('the sources contain more than 40 patterns', () => {
  expect(patterns.length).toBeGreaterThan(40)
  expect(patterns.map(({ where }) => where).join('\n')).toContain('card-number.ts')
})

test.each(patterns.map((pattern) => [pattern.where, pattern] as const))(
  'processes 100,000 characters without catastrophic backtracking: %s',
  (_, pattern) => {
    expect(isSlow(pattern, inputsFor(pattern.source))).toBe(false)
  },
)

test.each(['^(a+)+$', '(a*)*(.*)b$', '([^/]+)\\/:([^/]+)'])(
  'finds a pattern with catastrophic backtracking: %s',
  (source) => {
    expect(isSlow({ source, flags: '' }, inputsFor(source), 100)).toBe(true)
  },
)
