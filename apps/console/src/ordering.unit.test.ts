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

describe('customers can order', () => {
  test('when the record is open', () => {
    expect(ordering({})).toEqual({ can: 'yes' })
  })

  test('also in the first moments, and while a lost connection is not yet certain', () => {
    expect(ordering({}, { connection: { state: 'connecting' }, attendance: null })).toEqual({ can: 'yes' })
  })
})

describe('customers cannot order', () => {
  test.each<[string, Partial<OwnRestaurant>, object]>([
    ['a stop', { paused: true, closedReason: 'paused' }, { why: 'stopped' }],
    ['a pause', { paused: true, pausedUntil: 90, closedReason: 'paused' }, { why: 'paused', until: 90 }],
    ['a pause outside the hours', { paused: true, closedReason: 'hours', opensAt: 9 }, { why: 'stopped' }],
    ['the hours', { closedReason: 'hours', opensAt: 90 }, { why: 'hours', from: 90 }],
    ['the hours, without an end', { closedReason: 'hours' }, { why: 'hours', from: null }],
    ['no sighting yet', { closedReason: 'unattended' }, { why: 'unattended', link: 'console' }],
    ['the operator', { closedReason: 'hidden' }, { why: 'hidden' }],
  ])('because of %s', (_, record, expected) => {
    expect(ordering({ ...record, open: false })).toEqual({ can: 'no', ...expected })
  })

  test('without a connection, even if the last record is open', () => {
    expect(ordering({}, { connection: offline })).toEqual({ can: 'no', why: 'offline', since: 1_000 })
  })

  test('without a connection it is unknown for a restaurant with a webhook, because that system attends it', () => {
    const facts: Partial<Facts> = { connection: offline, attendance: { ...attended, link: 'webhook' } }
    expect(ordering({}, facts)).toEqual({ can: 'unknown', since: 1_000 })
  })
})
