import { afterEach, expect, test, vi } from 'vitest'
import { environmentOf, type Wiring } from './services.ts'

const ports = {
  payments: [1],
  accounts: [2],
  catalog: [3],
  orders: [4],
  gateway: [5],
  processor: [6],
  simulators: [7],
}
const wiring: Wiring = {
  databases: {},
  amqp: () => '',
  redis: '',
  ports,
  secrets: { operatorKey: 'k', internalSecret: 's', passwordPepper: 'p' },
  https: false,
  ledger: '',
  receipts: '',
}

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a limit of the shell takes precedence over the limit for development', () => {
  vi.stubEnv('CARDS_PER_USER', '5')
  vi.stubEnv('TRIES_PER_ADDRESS', '1000000')
  expect(environmentOf('payments', wiring)).toMatchObject({
    CARDS_PER_USER: '5',
    DECLINES_PER_CARD: '1000000',
  })
  expect(environmentOf('accounts', wiring)).toMatchObject({
    TRIES_PER_ADDRESS: '1000000',
    TRIES_PER_APPLICATION: '100000',
  })
})
