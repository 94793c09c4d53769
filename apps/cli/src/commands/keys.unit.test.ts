import { expect, test } from 'vitest'
import { keyIn } from '#/commands/keys.ts'
import { EXIT } from '#/exit.ts'

test('reads a key without the line break at its end', () => {
  expect(keyIn('an-old-key-of-an-app\n')).toBe('an-old-key-of-an-app')
})

test.each(['', '\n', ' \r\n'])('an input without a key (%j) is an error of usage', (text) => {
  expect(() => keyIn(text)).toThrow(
    expect.objectContaining({ code: EXIT.usage, message: 'Standard input contains no key.' }),
  )
})
