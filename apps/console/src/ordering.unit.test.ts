import { describe, expect, test } from 'vitest'
import { orderingOf, type Facts } from '#/ordering.ts'
import type { OwnRestaurant } from '@platter/contracts'

const open = { open: true, paused: false, pausedUntil: null }
const attended = { attended: true, link: 'console', until: 2_000 } as const
const ordering = (record: Partial<OwnRestaurant>, facts: Partial<Facts> = {}) =>
  orderingOf({
    connection: { state: 'live' },
    attendance: attended,
    restaurant: { ...open, ...record } as OwnRestaurant,
    ...facts,
  })
const offline = { state: 'offline', since: 1_000_000 } as const

describe('open restaurant', () => {
  test('customers can order when the record is open', () => {
    expect(ordering({})).toEqual({ can: 'yes' })
  })

  test('customers can order while the console connects and attendance is unknown', () => {
    expect(ordering({}, { connection: { state: 'connecting' }, attendance: null })).toEqual({ can: 'yes' })
  })
})

describe('reasons against ordering', () => {
  test.each<[string, Partial<OwnRestaurant>, object]>([
    ['a pause without an end', { paused: true, closedReason: 'paused' }, { why: 'stopped' }],
    ['a pause', { paused: true, pausedUntil: 90, closedReason: 'paused' }, { why: 'paused', until: 90 }],
    [
      'a pause outside the opening hours',
      { paused: true, closedReason: 'hours', opensAt: 9 },
      { why: 'stopped' },
    ],
    ['the opening hours', { closedReason: 'hours', opensAt: 90 }, { why: 'hours', from: 90 }],
    ['the opening hours, without a known opening', { closedReason: 'hours' }, { why: 'hours', from: null }],
    ['missing attendance', { closedReason: 'unattended' }, { why: 'unattended', link: 'console' }],
    ['the operator (hidden)', { closedReason: 'hidden' }, { why: 'hidden' }],
  ])('customers cannot order because of %s', (_, record, expected) => {
    expect(ordering({ ...record, open: false })).toEqual({ can: 'no', ...expected })
  })

  test('customers cannot order while the console is offline, even if the last record is open', () => {
    expect(ordering({}, { connection: offline })).toEqual({ can: 'no', why: 'offline', since: 1_000 })
  })

  test('ordering is unknown for a restaurant with a webhook while its console is offline', () => {
    const facts: Partial<Facts> = { connection: offline, attendance: { ...attended, link: 'webhook' } }
    expect(ordering({}, facts)).toEqual({ can: 'unknown', since: 1_000 })
  })
})
