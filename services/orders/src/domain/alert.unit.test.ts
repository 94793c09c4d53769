import type { Attention } from '@platter/contracts'
import { expect, test } from 'vitest'
import { bodyOf, templateFault } from '#/domain/alert-template.ts'
import {
  composeAlerts,
  testAlert,
  textOf,
  titleOf,
  type Alert,
  type Phase,
  type Unalerted,
} from '#/domain/alert.ts'

const incident = (id: string, reason = 'because'): Attention => ({
  id,
  kind: 'order-unaccepted',
  orderApiKey: 'o1',
  what: 'restaurant r1',
  reason,
  count: 0,
  since: 1_790_000_000,
})
const waiting = (number: number, phase: Phase = 'began', reason?: string): Unalerted => ({
  number,
  kind: 'order-unaccepted',
  phase,
  incident: incident(`order_${number}`, reason),
})
const advice = () => 'Call the restaurant.'
const alert: Alert = {
  ...testAlert('alert_1', 1_790_000_000),
  kind: 'dead-letter',
  count: 2,
  open: 5,
  advice: 'Read the "log".',
  incidents: [incident('order_1')],
}

test('500 incidents of a kind become one alert with their count and the first 20 of them', () => {
  const burst = Array.from({ length: 500 }, (_, number) => waiting(number))
  const [composed, ...others] = composeAlerts(burst, new Map(), advice)
  expect(others).toEqual([])
  expect(composed?.content).toMatchObject({ count: 500, advice: 'Call the restaurant.' })
  expect(composed?.content.incidents).toHaveLength(20)
  expect(composed?.numbers).toHaveLength(500)
  expect(textOf(composed!.content)).toContain('- and 480 more')
})

test('the incidents of each kind and phase become one alert', () => {
  const all = [waiting(1), waiting(2, 'ended'), waiting(3), { ...waiting(4), kind: 'dead-letter' }]
  const composed = composeAlerts(all, new Map([['dead-letter', 7]]), advice)
  expect(composed.map(({ content: { kind, phase, open }, numbers }) => [kind, phase, open, numbers])).toEqual(
    [
      ['order-unaccepted', 'began', 0, [1, 3]],
      ['order-unaccepted', 'ended', 0, [2]],
      ['dead-letter', 'began', 7, [4]],
    ],
  )
})

test('an alert masks a card number and removes line breaks in the reason of an incident', () => {
  const [composed] = composeAlerts(
    [waiting(1, 'began', 'card 4242 4242 4242 4242\r\nBcc: all')],
    new Map(),
    advice,
  )
  expect(JSON.stringify(composed?.content)).not.toContain('4242 4242 4242')
  expect(composed?.content.incidents[0]?.reason).not.toMatch(/[\r\n]/)
})

test('the title has kind, phase and counts; an ended alert gives no advice', () => {
  expect(titleOf(alert)).toBe('Platter: dead-letter, 2 began, 5 open')
  expect(textOf(alert)).toContain('Read the "log".')
  expect(textOf(alert)).toContain('Runbook: docs/operations.md#dead-letter')
  expect(textOf({ ...alert, phase: 'ended' })).not.toContain('Read the')
})

test('without a template the body has the type, the time and the incidents', () => {
  expect(JSON.parse(bodyOf(alert, undefined))).toMatchObject({
    type: 'incident.began',
    timestamp: '2026-09-21T14:13:20.000Z',
    data: { kind: 'dead-letter', count: 2, open: 5, incidents: [{ id: 'order_1' }] },
  })
})

test('a template is filled without changing its structure, and a lone placeholder keeps its type', () => {
  const template = '{"text":"{{title}}: {{advice}}","n":"{{count}}","list":[{"a":"{{kind}}"},1,null]}'
  expect(JSON.parse(bodyOf({ ...alert, kind: '","x":"{{id}}' }, template))).toEqual({
    text: 'Platter: ","x":"{{id}}, 2 began, 5 open: Read the "log".',
    n: 2,
    list: [{ a: '","x":"{{id}}' }, 1, null],
  })
})

test('the state is resolved only for an ended alert without an open incident of its kind', () => {
  const template = '{"state":"{{state}}","endsAt":"{{endsAt}}"}'
  const bodyWith = (phase: Phase, open: number) => bodyOf({ ...alert, phase, open }, template)
  expect(bodyWith('began', 1)).toBe('{"state":"firing","endsAt":"2027-09-21T14:13:20.000Z"}')
  expect(bodyWith('ended', 1)).toBe('{"state":"firing","endsAt":"2027-09-21T14:13:20.000Z"}')
  expect(bodyWith('ended', 0)).toBe('{"state":"resolved","endsAt":"2026-09-21T14:13:20.000Z"}')
})

test('a test alert ends ten minutes later on its own, because Alertmanager would repeat it for a year', () => {
  const ofTest = testAlert('alert_1', alert.at)
  expect(bodyOf(ofTest, '{"endsAt":"{{endsAt}}"}')).toBe('{"endsAt":"2026-09-21T14:23:20.000Z"}')
})

test('templateFault refuses a template that is not JSON or has an unknown placeholder', () => {
  expect(templateFault('{"text":"{{title}}"}')).toBeNull()
  expect(templateFault('{text}')).toBe('is not JSON')
  expect(templateFault('{"text":"{{name}}"}')).toContain(
    'has the unknown placeholder {{name}}; the known ones are ',
  )
})
