import { problems, type ProblemCode } from '@platter/contracts'
import { Problem, type App } from '@platter/kit'
import { problemPage, problemPageHeaders } from '#/problem-page.ts'

/** The target of a problem's `type`: its row of the catalogue, as a page or as JSON. */
export function problemPages(app: App): void {
  app.get<{ Params: { code: string } }>('/problems/:code', async (request, reply) => {
    const { code } = request.params
    if (!isCode(code)) throw new Problem('no-such-endpoint', 'There is no such problem.')
    void reply.header('vary', 'Accept')
    if (!request.headers.accept?.includes('text/html')) return { code, ...problems[code] }
    return reply.headers(problemPageHeaders).send(problemPage(code))
  })
}

const isCode = (code: string): code is ProblemCode => Object.hasOwn(problems, code)
