import { expect, test } from 'vitest'
import { createLog } from './log.ts'

/** What a log writes, line by line. */
function written(say: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = []
  say(createLog('orders', 'info', { write: (line: string) => void lines.push(line) }))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a line is JSON: when, how severe, who, the named fields, and a sentence', () => {
  const [line] = written((log) => log.warn({ orderApiKey: 'ab12', attempt: 2 }, 'not yet'))
  expect(line).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    service: 'orders',
    pid: process.pid,
    orderApiKey: 'ab12',
    attempt: 2,
    msg: 'not yet',
  })
})

test('a field that is not allowed is not written, however it got there', () => {
  const request = { status: 200, body: { cvv: '314' }, headers: { cookie: 'x' }, password: 'secret' }
  const [line] = written((log) => log.info(request, 'request'))
  expect(Object.keys(line!)).toEqual(['level', 'time', 'service', 'pid', 'status', 'msg'])
})

test('of an error: name, code, message, stack and cause, and not the row that PostgreSQL quotes', () => {
  const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(maria@…)' })
  const [line] = written((log) => log.error({ err: new Error('not stored', { cause }) }, 'problem'))
  const err = line!['err'] as { cause: object }
  expect(Object.keys(err)).toEqual(['name', 'message', 'stack', 'cause'])
  expect(Object.keys(err.cause)).toEqual(['name', 'code', 'message', 'stack'])
})

test('a card number and an access key within what may be said are masked', () => {
  const reason =
    'GET /menu?access-token=platter_live_abcdefghijkl failed: 4242 4242 4242 4242 is not a number'
  const [line] = written((log) => log.warn({ reason }, 'failed'))
  expect(line!['reason']).toBe('GET /menu?access-token=[masked] failed: [masked] is not a number')
})
