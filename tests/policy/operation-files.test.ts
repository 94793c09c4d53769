import { join } from 'node:path'
import * as contracts from '@platter/contracts'
import type { Operation } from '@platter/contracts'
import { expect, test } from 'vitest'
import { filesIn } from './files.ts'

const files = filesIn(join(import.meta.dirname, '../..'))

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'path' in value && 'owner' in value && 'problems' in value

/** All declared operations, including those between services. */
const operations = Object.values<unknown>(contracts).filter(isOperation)

/** The name of each file contains the full name of the operation: `*send-order*` finds all of its files. */
const parts: [part: string, pattern: (name: string) => RegExp][] = [
  ['contract', (name) => new RegExp(`^packages/contracts/src/(?:operations|internal)/${name}\\.ts$`)],
  ['route', (name) => new RegExp(`^services/[a-z]+/src/(?:[a-z]+/)?routes/${name}\\.ts$`)],
  // One file may test two operations with one table: remove-address-and-remove-card.test.ts.
  [
    'test',
    (name) => new RegExp(`/(?:routes|e2e)/(?:.+-and-)?${name}(?:-and-.+)?(?:\\.unit|\\.stack)?\\.test\\.ts$`),
  ],
]

const missingIn = (those: readonly string[], { name }: { name: string }): string[] =>
  parts
    .filter(([, pattern]) => !those.some((file) => pattern(name).test(file)))
    .map(([part]) => `${name}: no ${part}`)

test('every operation has a contract, a route and a test with its name', () => {
  expect(operations.length).toBeGreaterThan(50)
  expect(operations.flatMap((operation) => missingIn(files, operation))).toEqual([])
})

test('finds an operation without a route, and an operation whose name is only a part of file names', () => {
  const withoutRoute = files.filter((file) => !file.endsWith('/routes/send-order.ts'))
  expect(missingIn(withoutRoute, { name: 'send-order' })).toEqual(['send-order: no route'])
  expect(missingIn(files, { name: 'send' })).toEqual(['send: no contract', 'send: no route', 'send: no test'])
})
