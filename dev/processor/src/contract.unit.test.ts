import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, type Parts } from '@platter/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentProcessor } from '../../../services/payments/src/outside/development-processor.ts'
import {
  CALL_WITHIN_MS,
  IMPATIENT_MS,
  PROMISES,
  SLOW_MS,
  type World,
} from '../../../services/payments/src/testing/processor-contract.ts'
import type { Entry } from './ledger.ts'
import { wire } from './wire.ts'

const directory = mkdtempSync(join(tmpdir(), 'platter-contract-'))
const LEDGER_FILE = join(directory, 'ledger.jsonl')
let parts: Parts
let url: string
let world: World
/** Added to the clock of the processor. */
let days = 0
const now = () => new Date(Date.now() + days * 86_400_000)

const post = (path: string, body: object) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

beforeAll(async () => {
  const config = {
    HOST: '127.0.0.1',
    PORT: 0,
    LOG_LEVEL: 'fatal',
    LEDGER_FILE,
    WEBHOOK_SECRET: 'whsec_test',
  } as const
  parts = wire(config, createLog('processor', 'fatal'), { now })
  url = await parts.app.listen({ host: '127.0.0.1', port: 0 })
  world = {
    processor: developmentProcessor({ url }, CALL_WITHIN_MS),
    impatient: developmentProcessor({ url }, IMPATIENT_MS),
    unreachable: developmentProcessor({ url: 'http://127.0.0.1:1' }, CALL_WITHIN_MS),
    async fault(fault, on) {
      const rules = [{ fault, on: [on], next: 1, ms: SLOW_MS }]
      await fetch(`${url}/faults`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ rules }),
      })
    },
    async clientToken(card) {
      const response = await post('/client-tokens', card)
      return ((await response.json()) as { token: string }).token
    },
    async endChallenge(id, outcome) {
      await post(`/authentications/${id}`, { outcome })
    },
    async replaceCard(token, card) {
      await post('/dashboard/cards/replace', { token, brand: 'visa', ...card })
    },
    async after(passed, work) {
      days += passed
      await work().finally(() => (days -= passed))
    },
    effects: (reference) =>
      readFileSync(LEDGER_FILE, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Entry)
        .filter(
          (entry) =>
            entry.reference === reference && entry.outcome === 'approved' && entry.kind !== 'authenticate',
        )
        .map(({ kind }) => kind),
  }
})

afterAll(async () => {
  await Promise.all([world.processor, world.impatient, world.unreachable].map((one) => one.close()))
  await parts.app.close()
  await parts.close?.()
  rmSync(directory, { recursive: true })
})

describe('the development processor', () => {
  test.each(Object.entries(PROMISES))('%s', async (_title, promise) => {
    await expect(promise(world)).resolves.toBeUndefined()
  })
})
