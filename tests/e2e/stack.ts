import { beforeAll, beforeEach, inject, TestRunner } from 'vitest'
import type { StackFile } from '../../dev/stack/description.ts'
import type { Target } from '../support/api.ts'

/** The platform under test, from the view of its clients and its operator. */
export type StackUnderTest = Target & {
  /** The access key of another client application. */
  otherAccessKey: string
  restaurants: readonly { apiKey: string; accessKey: string }[]
}

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackUnderTest
    /** The files, processes and servers of the stack that this run started; null with E2E_URL. */
    ownStack: StackFile | null
    /** The port at which a test may start a telemetry receiver. */
    otlpPort: number
  }
}

export const stack = () => inject('stack')

/** Returns the access key of a restaurant of the seed. */
export const keyOf = (restaurantApiKey: string): string =>
  stack().restaurants.find(({ apiKey }) => apiKey === restaurantApiKey)?.accessKey ?? ''

/** Returns true if E2E_URL names a platform that this run did not start. */
export const isOtherPlatform = (): boolean => inject('ownStack') === null

/**
 * Returns the internals of the stack: database, files, processes, settings. If E2E_URL names another platform, the test is skipped,
 * and the report gives this reason. A concurrent test uses `isOtherPlatform`, because vitest does not know the current one of
 * several tests.
 */
export function ownStack(): StackFile {
  const own = inject('ownStack')
  if (own !== null) return own
  const test = TestRunner.getCurrentTest()
  if (!test) throw new Error('ownStack() was called outside of a test: use setUpOwnStack')
  return test.context.skip('needs the internals of a stack: E2E_URL names another platform')
}

/** Like `beforeAll` with its clean-up, for a file or a group in which every test needs the internals of the stack. */
export function setUpOwnStack(setUp: () => Promise<void | (() => unknown)>): void {
  beforeAll(() => (isOtherPlatform() ? undefined : setUp()))
  beforeEach(() => void ownStack())
}
