import { expect, test } from 'vitest'
import { SOURCES } from '#/operating/incident-sources.ts'

test('the sources of one kind have the same advice, because an alert has one for its kind', () => {
  const kinds = Map.groupBy(Object.values(SOURCES), ({ kind }) => kind)
  const advices = [...kinds.values()].map((sources) => new Set(sources.map(({ advice }) => advice)))
  expect(advices.filter(({ size }) => size > 1)).toEqual([])
  expect(kinds.get('failed-refund')?.[0]?.advice).toContain('a cancelled order: in the dashboard')
})
