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

/** The files of an operation, by patterns of their paths: `*send-order*` finds all of them. */
const patternsOf = (name: string) => [
  `packages/contracts/src/(operations|internal)/${name}.ts`,
  `services/[a-z]+/src/([a-z]+/)?routes/${name}.ts`,
  // One file may test two operations with one table: remove-address-and-remove-card.test.ts.
  `(services/.+/routes|tests/e2e)/(.+-and-)?${name}(-and-.+)?(.unit|.stack)?.test.ts`,
]

const matches = (pattern: string, file: string) =>
  new RegExp(`^${pattern.replaceAll('.t', '\\.t')}$`).test(file)

const missingIn = (those: readonly string[], { name }: { name: string }): string[] =>
  patternsOf(name).filter((pattern) => !those.some((file) => matches(pattern, file)))

test('every operation has a contract, a route and a test with its name', () => {
  expect(operations.length).toBeGreaterThan(50)
  expect(
    operations.flatMap((operation) => missingIn(files, operation)),
    'no file has such a path',
  ).toEqual([])
})

test('the index of its folder exports each contract', () => {
  const names = operations.map(({ name }) => name)
  const contractsIn = /^packages\/contracts\/src\/(?:operations|internal)\/(?!index)(.+)\.ts$/
  const declared = files.flatMap((file) => contractsIn.exec(file)?.[1] ?? [])
  expect(declared.toSorted()).toEqual(names.toSorted())
})

test('finds an operation without a route, and an operation whose name is only a part of file names', () => {
  const withoutRoute = files.filter((file) => !file.endsWith('/routes/send-order.ts'))
  expect(missingIn(withoutRoute, { name: 'send-order' })).toEqual([patternsOf('send-order')[1]])
  expect(missingIn(files, { name: 'send' })).toEqual(patternsOf('send'))
})
