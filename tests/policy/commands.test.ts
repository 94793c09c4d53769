import * as contracts from '@platter/contracts'
import { expect, test } from 'vitest'

const isCommand = (one: unknown): one is contracts.Command =>
  typeof one === 'object' && one !== null && 'kind' in one && one.kind === 'command'

test('the list of commands with dead letters contains every declared command', () => {
  const declared = Object.values(contracts as Record<string, unknown>).filter(isCommand)
  expect(declared.length).toBeGreaterThan(3)
  expect(new Set(contracts.commands)).toEqual(new Set(declared))
})
