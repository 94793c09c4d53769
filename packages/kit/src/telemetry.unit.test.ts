import { expect, test } from 'vitest'
import { inEntry, inSpan, SpanKind, timed, traceHeaders, traceIds, traceparent } from './telemetry.ts'

test('without a receiver work is only done: no span is described, no header made', async () => {
  const described: string[] = []
  const describe = () => {
    described.push('span')
    return { name: 'work' }
  }
  const attributes = () => {
    described.push('entry')
    return {}
  }
  expect(await inSpan(describe, async (span) => span)).toBeNull()
  expect(timed(describe, () => 'done')).toBe('done')
  const entrance = { name: 'message', kind: SpanKind.CONSUMER, attributes }
  expect(await inEntry({ traceparent: 'anything' }, entrance, async () => 'done')).toBe('done')
  expect(described).toEqual([])
  expect(traceHeaders()).toEqual({})
  expect(traceparent()).toBeNull()
  expect(traceIds()).toEqual({})
})
