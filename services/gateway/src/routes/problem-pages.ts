import { problems, type ProblemCode } from '@platter/contracts'
import { Problem, type App } from '@platter/kit'

/** What the `type` of a problem resolves to: its row of the catalogue. */
export function problemPages(app: App): void {
  app.get<{ Params: { code: string } }>('/problems/:code', async (request) => {
    const { code } = request.params
    if (!Object.hasOwn(problems, code)) throw new Problem('no-such-endpoint', 'There is no such problem.')
    return { code, ...problems[code as ProblemCode] }
  })
}
