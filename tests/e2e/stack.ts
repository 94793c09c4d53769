import { inject } from 'vitest'
import type { StackFile } from '../../dev/stack/description.ts'

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackFile
    /** Where the services send what they measure, when a test listens there. */
    otlpPort: number
  }
}

/** What `stack.json` says of the stack under test. */
export const stack = () => inject('stack')
