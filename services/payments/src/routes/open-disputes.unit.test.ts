import { cents, OpenDisputes } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { expect, test } from 'vitest'
import { openDisputes } from '#/routes/open-disputes.ts'

test('returns a page of the orders with an open dispute', async () => {
  const dispute = {
    orderApiKey: newApiKey(),
    amount: cents(300),
    reason: 'fraudulent',
    respondBy: null,
    count: 1,
    at: 1_700_000_000_000_000,
  }
  const pages: unknown[] = []
  const mirrors = {
    openDisputes: async (page: unknown) => {
      pages.push(page)
      return [dispute]
    },
  }
  const body = { before: null, limit: 5 }
  const response = await openDisputes({ mirrors })({ body } as never)
  expect(OpenDisputes.response.parse(response)).toEqual({ disputes: [dispute] })
  expect(pages).toEqual([body])
})
