import { cents, MissingRefunds } from '@platter/contracts'
import { newApiKey } from '@platter/kit'
import { expect, test } from 'vitest'
import { missingRefunds } from '#/routes/missing-refunds.ts'

test('returns a page of the cancelled orders whose refund failed later', async () => {
  const missing = { orderApiKey: newApiKey(), amount: cents(300), at: 1_700_000_000_000_000 }
  const pages: unknown[] = []
  const mirrors = {
    missingRefunds: async (page: unknown) => {
      pages.push(page)
      return [missing]
    },
  }
  const body = { before: null, limit: 5 }
  const response = await missingRefunds({ mirrors })({ body } as never)
  expect(MissingRefunds.response.parse(response)).toEqual({ refunds: [missing] })
  expect(pages).toEqual([body])
})
