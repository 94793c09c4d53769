/** Exit codes; the help in program.ts documents them. */
export const EXIT = { ok: 0, refused: 1, usage: 2, unreachable: 3 } as const

/** Ends the command with an exit code and a message. Any other error is a defect. */
export class Failure extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
