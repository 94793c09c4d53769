import { inspect } from 'node:util'
import { isCardNumber, secret as secretOf } from '@platter/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Problem } from '#/http/problem.ts'
import { makeAccessKey } from '#/security/access-key.ts'
import { createLog, reasonOf, type LogField } from '#/telemetry/log.ts'

/** Returns the lines that a log writes. */
function written(work: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = []
  work(createLog('orders', 'info', { write: (line: string) => void lines.push(line) }))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a line is JSON with level, time, service, pid, the named fields and a message', () => {
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

test('omits fields that are not allowed', () => {
  const request = { status: 200, body: { cvv: '314' }, headers: { cookie: 'x' }, password: 'secret' }
  const [line] = written((log) => log.info(request, 'request'))
  expect(Object.keys(line!)).toEqual(['level', 'time', 'service', 'pid', 'status', 'msg'])
})

test('logs name, code, message, stack and cause of an error, without the detail of PostgreSQL', () => {
  const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (email)=(maria@…)' })
  const [line] = written((log) => log.error({ err: new Error('not stored', { cause }) }, 'problem'))
  const err = line!['err'] as { cause: object }
  expect(Object.keys(err)).toEqual(['name', 'message', 'stack', 'cause'])
  expect(Object.keys(err.cause)).toEqual(['name', 'code', 'message', 'stack'])
})

test('masks a card number and an access key in an allowed field', () => {
  const reason =
    'GET /menu?access-token=platter_live_abcdefghijkl failed: 4242 4242 4242 4242 is not a number'
  const [line] = written((log) => log.warn({ reason }, 'failed'))
  expect(line!['reason']).toBe('GET /menu?access-token=[masked] failed: [masked] is not a number')
})

const CARD = '4929131478652939'
const KEY = makeAccessKey('live')
test('escapes characters that control a terminal', () => {
  const lines: string[] = []
  const log = createLog('orders', 'info', { write: (line: string) => void lines.push(line) })
  const reason = 'no\u001B[2J\u009B31m\u202Echeese\u2028'
  log.warn({ reason }, 'failed')
  expect(lines[0]).not.toMatch(/[\u007F-\u009F\u202E\u2028]/)
  expect(JSON.parse(lines[0]!)).toMatchObject({ reason })
})

/** Values that a faulty log call could contain, with a card number or an access key at any depth. */
const { shape } = fc.letrec((tie) => ({
  secret: fc.constantFrom<unknown>(
    CARD,
    Number(CARD),
    `${CARD.slice(0, 4)} ${CARD.slice(4)}`,
    `of ${CARD}!`,
    KEY,
    `{"k":"${KEY}"}`,
  ),
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie('secret'),
    fc.string(),
    fc.integer(),
    fc.array(tie('shape'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('body', 'cardNumber', 'cvv', 'a', 'err', 'headers'), tie('shape'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    tie('shape').map((value) => JSON.stringify(value)),
    tie('shape').map((value) => new Error(`no ${JSON.stringify(value)}`, { cause: value })),
    tie('shape').map((value) => new Map([[value, value]])),
    tie('shape').map((value) => Object.assign(new Error('failed'), { config: value, cause: value })),
  ),
}))
const fields = fc.constantFrom<LogField>(
  'err',
  'reason',
  'requestId',
  'message',
  'state',
  'address',
  'orderApiKey',
)

test('none of 10,000 generated lines contains a card number or an access key, and each is JSON', () => {
  expect(isCardNumber(CARD)).toBe(true)
  const lines: string[] = []
  const log = createLog('orders', 'info', { write: (line: string) => void lines.push(line) })
  fc.assert(
    fc.property(fields, shape, fc.constantFrom('failed', CARD, KEY), (field, value, message) => {
      log.info({ [field]: value }, message)
    }),
    { numRuns: 10_000 },
  )
  expect(lines).toHaveLength(10_000)
  const isUnmasked = (line: string) =>
    [CARD, KEY].some((secret) => line.replaceAll(/[ -]/g, '').includes(secret))
  expect(lines.find(isUnmasked)).toBeUndefined()
  expect(() => lines.map((line) => JSON.parse(line) as unknown)).not.toThrow()
})

test('util.inspect shows no value of a secret', () => {
  const parsed = secretOf(z.string()).parse('correct horse')
  expect(inspect({ parsed }, { showHidden: true })).toBe('{ parsed: [secret] }')
})

test('the reason of a problem is its cause, because its message is for a client; an error without a message has its code, and one of OpenSSL its reason', () => {
  const cause = new Error('orders: no response by the deadline')
  expect(reasonOf(new Problem('service-unavailable', 'Please try again.', { cause }))).toBe(cause.message)
  expect(reasonOf(new Problem('service-unavailable', 'Please try again.'))).toBe('Please try again.')
  expect(reasonOf(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED')
  const ofOpenSsl = new Error(
    '40AD81B7CD7F0000:error:0A00010B:SSL routines:wrong version number:../tlsany_meth.c:77:\n',
  )
  expect(
    reasonOf(Object.assign(ofOpenSsl, { library: 'SSL routines', reason: 'wrong version number' })),
  ).toBe('TLS: wrong version number')
})
