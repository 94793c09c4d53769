import { Applications, type ProblemDocument } from '@platter/contracts'
import { startHttpServer } from '@platter/testkit/http-server'
import { expect, onTestFinished, test } from 'vitest'
import { apiOf } from '#/api.ts'
import { EXIT } from '#/exit.ts'

test('a connection that ends within the body of a response is an unreachable platform', async () => {
  const { url, close } = await startHttpServer((_request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('[', () => response.destroy())
  })
  onTestFinished(close)
  await expect(apiOf({ url, key: 'k' }).call(Applications)).rejects.toMatchObject({
    code: EXIT.unreachable,
    message: expect.stringContaining(`${url} cannot be reached: `) as string,
  })
})

const problem: ProblemDocument = {
  type: '/problems/invalid-field',
  title: 'A field has an invalid value',
  status: 400,
  detail: 'url is not a URL.',
  instance: '/operatorapi/v1/applications',
  code: 'invalid-field',
  requestId: 'r1',
  retryable: false,
  errors: [
    { pointer: '/url', code: 'invalid-field', detail: 'url is not a URL.' },
    { pointer: '/secret', code: 'invalid-field', detail: 'secret is too short.' },
  ],
  error: true,
  errorCode: 1003,
  details: 'url is not a URL.',
}

async function platformThatRejects(rejection: ProblemDocument): Promise<string> {
  const { url, close } = await startHttpServer((_request, response) => {
    response.writeHead(rejection.status).end(JSON.stringify(rejection))
  })
  onTestFinished(close)
  return url
}

test('an address with a path, which has no operator interface, is named', async () => {
  const url = await platformThatRejects({ ...problem, status: 404, code: 'no-such-endpoint' })
  await expect(apiOf({ url, key: 'k' }).call(Applications)).rejects.toMatchObject({
    code: EXIT.refused,
    message: expect.stringMatching(`^${url} does not have this endpoint.*without a path`) as string,
  })
})

test('a rejected request is reported with all of its faults, each once', async () => {
  const url = await platformThatRejects(problem)
  await expect(apiOf({ url, key: 'k' }).call(Applications)).rejects.toMatchObject({
    code: EXIT.refused,
    message: 'url is not a URL.\nsecret is too short.',
  })
})
