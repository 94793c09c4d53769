import { expect, test } from 'vitest'
import { Config } from '#/config.ts'

test('by default an order is decided within 5 minutes: its authorization first, then its delivery', () => {
  const { SAGA_DEADLINE_MS, TRANSMIT_DEADLINE_MS } = Config.shape
  expect(SAGA_DEADLINE_MS.parse(undefined) + TRANSMIT_DEADLINE_MS.parse(undefined)).toBeLessThanOrEqual(
    300_000,
  )
})
