import { createApp, createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { paymentReturn } from '#/routes/payment-return.ts'

test('GET /payment-return returns the same page with and without query parameters', async () => {
  const app = createApp(createLog('test', 'silent'))
  paymentReturn(app)
  const plain = await app.inject('/payment-return')
  const withQuery = await app.inject('/payment-return?payment_intent=pi_1&redirect_status=%3Cscript%3E')
  expect(plain.statusCode).toBe(200)
  expect(plain.headers['content-security-policy']).toContain("default-src 'none'")
  expect(plain.body).toContain('You can close this page')
  expect(withQuery.body).toBe(plain.body)
  await app.close()
})
