import type { Operation } from '@platter/contracts'
import { expect } from 'vitest'

/** Checks that a response matches the schema of its endpoint exactly, without missing or additional members. */
export function expectConforms(operation: Operation, body: unknown): void {
  expect(operation.response.parse(body)).toEqual(body)
}
