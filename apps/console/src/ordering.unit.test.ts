import { describe, expect, test } from 'vitest'
import { timeOf } from '#/clock.ts'
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
    expect(ordering({})).toEqual({ can: 'yes', tone: 'is-yes', why: '' })
  })

  test('customers can order while the console connects and attendance is unknown', () => {
    expect(ordering({}, { connection: { state: 'connecting' }, attendance: null })).toMatchObject({
      can: 'yes',
    })
  })
})

describe('reasons against ordering', () => {
  test.each<[string, Partial<OwnRestaurant>, tone: string, why: string]>([
    [
      'a pause without an end',
      { paused: true, closedReason: 'paused' },
      'is-no',
      'The restaurant has stopped taking orders.',
    ],
    [
      'a pause',
      { paused: true, pausedUntil: 90, closedReason: 'paused' },
      'is-no',
      `Paused until ${timeOf(90)}.`,
    ],
    [
      'a pause outside the opening hours',
      { paused: true, closedReason: 'hours', opensAt: 9 },
      'is-no',
      'The restaurant has stopped taking orders.',
    ],
    ['the opening hours', { closedReason: 'hours', opensAt: 90 }, 'is-no', `Opens ${timeOf(90)}.`],
    [
      'the opening hours, without a known opening',
      { closedReason: 'hours' },
      'is-no',
      'Outside the opening hours.',
    ],
    ['missing attendance', { closedReason: 'unattended' }, 'is-lost', 'This console is being connected.'],
    ['the operator (hidden)', { closedReason: 'hidden' }, 'is-no', 'The operator has hidden the restaurant.'],
  ])('customers cannot order because of %s', (_, record, tone, why) => {
    expect(ordering({ ...record, open: false })).toEqual({ can: 'no', tone, why })
  })

  test("customers cannot order while the restaurant's own system does not respond", () => {
    const facts: Partial<Facts> = { attendance: { ...attended, link: 'webhook' } }
    expect(ordering({ open: false, closedReason: 'unattended' }, facts)).toEqual({
      can: 'no',
      tone: 'is-lost',
      why: 'Your own system does not respond to Platter.',
    })
  })

  test('customers cannot order while the console is offline, even if the last record is open', () => {
    expect(ordering({}, { connection: offline })).toEqual({
      can: 'no',
      tone: 'is-lost',
      why: `Offline since ${timeOf(1_000)}, trying to connect. Customers cannot order, unless another device of the restaurant is connected. Orders may be missing.`,
    })
  })

  test('ordering is unknown for a restaurant with a webhook while its console is offline', () => {
    const facts: Partial<Facts> = { connection: offline, attendance: { ...attended, link: 'webhook' } }
    expect(ordering({}, facts)).toEqual({
      can: 'unknown',
      tone: 'is-lost',
      why: `Offline since ${timeOf(1_000)}, trying to connect. Your own system may still receive orders.`,
    })
  })
})
