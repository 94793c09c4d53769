import type { Operation } from '@platter/contracts'
import { expect } from 'vitest'

/** That an answer is what the endpoint's schema says, with nothing missing and nothing beside it. */
export function expectConforms(operation: Operation, body: unknown): void {
  expect(operation.response.parse(body)).toEqual(body)
}
