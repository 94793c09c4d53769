/** How the tool ends; the help of `platter` says the same to people. */
export const EXIT = { ok: 0, refused: 1, usage: 2, unreachable: 3 } as const

/** Ends the command with a sentence; anything else that is thrown is a mistake of ours. */
export class Failure extends Error {
  readonly code: number
  /** What the platform answered, for --json. */
  readonly document: unknown
  constructor(code: number, message: string, document?: unknown) {
    super(message)
    this.code = code
    this.document = document
  }
}
