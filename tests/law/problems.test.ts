import { problemHelp, problems } from '@platter/contracts'
import { expect, test } from 'vitest'

/** Sentences end with a full stop; a point within a name has no space behind it. */
const sentences = (text: string): number => text.split(/[.?!](?:\s|$)/).filter((one) => one !== '').length

test.each(Object.entries(problems))(
  '%s says in one or two sentences why it happens and how to fix it',
  (code, row) => {
    const { why, fix } = problemHelp[code as keyof typeof problems]
    for (const text of [why, fix]) {
      expect(text).toMatch(/^[A-Z].{20,}\.$/)
      expect(sentences(text)).toBeLessThanOrEqual(2)
      expect(text).not.toBe(`${row.title}.`)
    }
    expect(why).not.toBe(fix)
  },
)

test('there is no help with a problem that is gone', () => {
  expect(Object.keys(problemHelp).toSorted()).toEqual(Object.keys(problems).toSorted())
})
