import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import { expect, onTestFinished, test } from 'vitest'
import {
  isRecorded,
  RootSpan,
  failureTraceId,
  inRootSpan,
  inSpan,
  timed,
  traceHeaders,
  traceIds,
  traceparent,
} from '#/telemetry/spans.ts'

test('without a receiver, work runs without spans and without trace headers', async () => {
  const described: string[] = []
  const describe = () => {
    described.push('span')
    return { name: 'work' }
  }
  expect(await inSpan(describe, async (span) => span)).toBeNull()
  expect(timed(describe, () => 'done')).toBe('done')
  const origin = { traceparent: 'anything', requestId: 'r1' }
  expect(await inRootSpan(origin, describe, async () => 'done')).toBe('done')
  expect(described).toEqual([])
  expect(traceHeaders()).toEqual({})
  expect(traceparent()).toBeNull()
  expect(traceIds()).toEqual({})
})

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
/** Returns the trace id of a request with this traceparent; zeros if the traceparent is invalid. */
function traceOf(given: string): string {
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return new RootSpan({ traceparent: given, requestId: 'r1' }, { name: 'request' }).traceId
}

test('continues the trace of a valid traceparent', () => {
  expect(traceOf(`00-${TRACE}-${SPAN}-01`)).toBe(TRACE)
})

test('the context of a request has no tracestate and no baggage', () => {
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()]
  propagation.disable()
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  onTestFinished(() => {
    propagation.disable()
    context.disable()
  })
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=4242424242424242', baggage: 'b=1' }
  const span = new RootSpan({ ...headers, requestId: 'r1' }, { name: 'request' })
  const active = span.run(() => context.active())
  expect(trace.getSpanContext(active)?.traceId).toBe(TRACE)
  expect(trace.getSpanContext(active)?.traceState).toBeUndefined()
  expect(propagation.getBaggage(active)).toBeUndefined()
})

test.each([
  ['a text of another format', 'anything'],
  ['an empty text', ''],
  ['a card number', '4242424242424242'],
  ['a padded trace id', `00-${'4242424242424242'.padStart(32, ' ')}-${SPAN}-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['a trace id in upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a trace id that is too long', `00-${TRACE}00-${SPAN}-01`],
  ['a forbidden version', `ff-${TRACE}-${SPAN}-01`],
  ['trailing characters', `00-${TRACE}-${SPAN}-01-4242424242424242`],
  ['two values', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
])('ignores an invalid traceparent: %s', (_, given) => {
  expect(traceOf(given)).toBe('0'.repeat(32))
})

const NO_TRACEPARENT = undefined
const [SAMPLED, UNSAMPLED] = [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-00`]

test.each([
  ['records a new trace at the gateway by the ratio', NO_TRACEPARENT, { mayBegin: true, chance: 0.04 }, true],
  ['drops a new trace above the ratio', NO_TRACEPARENT, { mayBegin: true, chance: 0.05 }, false],
  ['begins no trace behind the gateway', NO_TRACEPARENT, { mayBegin: false, chance: 0 }, false],
  ['follows a caller that records', SAMPLED, { mayBegin: true, chance: 0.9 }, true],
  ['follows a caller that does not record', UNSAMPLED, { mayBegin: true, chance: 0 }, false],
  ['treats an unreadable traceparent as none', 'anything', { mayBegin: true, chance: 0 }, true],
] as const)('parent-based sampling %s', (_, given, { mayBegin, chance }, expected) => {
  const sampling = { isParentBased: true, ratio: 0.05, mayBegin, chance: () => chance }
  expect(isRecorded(given, sampling)).toBe(expected)
})

test.each([
  ['ignores the decision of a client', UNSAMPLED, true, true],
  ['follows the gateway behind it', UNSAMPLED, false, false],
  ['begins no trace behind the gateway', NO_TRACEPARENT, false, false],
] as const)('other sampling %s', (_, given, mayBegin, expected) => {
  expect(isRecorded(given, { isParentBased: false, ratio: 1, mayBegin, chance: () => 0 })).toBe(expected)
})

const failureOf = (requestId: string, given?: string) => {
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  return failureTraceId({ traceparent: given, requestId })
}

test('a failure without a trace has a trace id that the request id determines', () => {
  expect(failureOf('2f1c8c7e-4c1b-4d5e-9f00-0123456789ab')).toBe('2f1c8c7e4c1b4d5e9f000123456789ab')
  expect(failureOf('order 34')).toMatch(/^[0-9a-f]{32}$/)
  expect(failureOf('order 34')).toBe(failureOf('order 34'))
  expect(failureOf('order 35')).not.toBe(failureOf('order 34'))
  expect(failureOf('order 34', UNSAMPLED)).toBe(TRACE)
})
