import { problems } from '@platter/contracts'
import { expect, test } from 'vitest'

/** A sentence ends with a full stop before a space; a full stop within a name has none. */
const sentences = (text: string): number => text.split(/[.?!](?:\s|$)/).filter((one) => one !== '').length

test.each(Object.entries(problems))(
  '%s has its cause and its remedy in one or two sentences each',
  (_code, { title, why, fix }) => {
    for (const text of [why, fix]) {
      expect(text).toMatch(/^[A-Z].{20,}\.$/)
      expect(sentences(text)).toBeLessThanOrEqual(2)
      expect(text).not.toBe(`${title}.`)
    }
    expect(why).not.toBe(fix)
  },
)
