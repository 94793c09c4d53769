class WithoutStack {
  readonly message: string
  readonly cause: unknown

  constructor(message: string, { cause }: { cause?: unknown } = {}) {
    this.message = message
    this.cause = cause
  }
}
Object.setPrototypeOf(WithoutStack.prototype, Error.prototype)

/**
 * An instance of Error without a stack trace. The capture of a stack takes 23 µs, while the gateway's whole rejection of a
 * request takes 60 µs (Node 24).
 */
export const ErrorWithoutStack = WithoutStack as unknown as new (
  message: string,
  options?: { cause?: unknown },
) => Error
