import { GetOrderStory, OperatorCancelOrder } from '@platter/contracts'
import { startHttpServer } from '@platter/testkit/http-server'
import { expect, onTestFinished, test, vi } from 'vitest'
import { EXIT } from '#/exit.ts'
import { run } from '#/run.ts'

function outputOf(stream: 'stdout' | 'stderr'): () => string {
  const printed = vi.spyOn(process[stream], 'write').mockReturnValue(true)
  onTestFinished(() => printed.mockRestore())
  return () => printed.mock.calls.map(([text]) => String(text)).join('')
}

/**
 * Starts a platform for the environment, which responds with one body after the other, and repeats the last. Returns the paths of
 * its requests.
 */
async function platformThatResponds(...bodies: string[]): Promise<string[]> {
  const requests: string[] = []
  const { url, close } = await startHttpServer((request, response) => {
    requests.push(request.url ?? '')
    response.end(bodies.at(Math.min(requests.length, bodies.length) - 1))
  })
  onTestFinished(close)
  vi.stubEnv('PLATTER_URL', url)
  vi.stubEnv('PLATTER_OPERATOR_KEY', 'key')
  onTestFinished(() => void vi.unstubAllEnvs())
  return requests
}

test('platter setup names the command that creates the secrets of an installation', async () => {
  const errors = outputOf('stderr')
  expect(await run(['setup', '--domain', 'example.org'])).toBe(EXIT.usage)
  expect(errors()).toContain('npm run setup')
})

test.each([
  [
    ['keys', 'rotate', 'ID', '--overlap', '43201'],
    "argument '43201' is invalid. it must be a whole number from 0 to 43200.",
  ],
  [['reconcile', '--csv', '--since', '24h', '--until', '48h'], '--since must be before --until.'],
  [
    ['orders', 'find', '--from', '1h', '--to', '2h'],
    '--from must be before --to. A time such as 2h counts back',
  ],
  [['reconcile', '--since', '2999-01-01'], '--since must not be in the future.'],
  [
    ['backup', '--database', 'platter', '--to', 'f', '--recipient', 'age1x'],
    'a URL that begins with postgres://',
  ],
  [['orders', 'show', ''], 'The argument order is empty.'],
  [['restaurants', 'import', 'a.json', ''], 'The argument path is empty.'],
  [['orders', 'find', '--phone', ''], '--phone is empty. Give a value, or leave it out.'],
  [['keys', 'list', '--url', '', '--operator'], '--url is empty.'],
  [['backup', '--to', ''], '--to is empty.'],
])('platter %j is an error of usage, without a request', async (args, message) => {
  const errors = outputOf('stderr')
  expect(await run(args)).toBe(EXIT.usage)
  expect(errors()).toContain(message)
})

test.each([
  [['keys', 'list', '--application', 'ID'], 'There are no access keys.\n'],
  [['attention', 'retry', '--all'], 'There are no incidents.\n'],
])('platter %j reports an empty list', async (args, line) => {
  await platformThatResponds('[]')
  const output = outputOf('stdout')
  expect(await run(args)).toBe(EXIT.ok)
  expect(output()).toBe(line)
})

test('platter orders find reports a restaurant that does not exist, instead of no orders', async () => {
  await platformThatResponds('[]')
  const errors = outputOf('stderr')
  expect(await run(['orders', 'find', '--restaurant', 'mistyped'])).toBe(EXIT.refused)
  expect(errors()).toContain('There is no restaurant mistyped.')
})

test('platter orders cancel prints that the order is cancelled, and that its refund follows', async () => {
  const cancelled = { ...OperatorCancelOrder.examples.response, paymentState: 'CHARGED' }
  const story = { ...GetOrderStory.examples.response, order: cancelled }
  await platformThatResponds(JSON.stringify(story), JSON.stringify(cancelled))
  const [output, notes] = [outputOf('stdout'), outputOf('stderr')]
  expect(await run(['orders', 'cancel', '34', '--reason', 'Power failure', '--yes'])).toBe(EXIT.ok)
  expect(output()).toContain(': cancelled by operator, CHARGED, ')
  expect(notes()).toContain('The refund follows')
})

test.each([
  ['orders', 'show', '#34'],
  ['orders', 'cancel', '#34', '--reason', 'r'],
  ['orders', 'refund', '#34', '--all', '--reason', 'LATE'],
])('platter %s %s %s requests the order without the number sign', async (...args) => {
  const requests = await platformThatResponds('{}')
  outputOf('stderr')
  await run(args)
  expect(requests).toEqual(['/operatorapi/v1/orders/34'])
})
