import { appendFile, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { SimulatorBehaviour } from '@platter/contracts'
import { ANSWER_WITHIN_MS, type Receipt, type Transmission } from '#/outside/restaurant-link.ts'
import * as simulatedOrders from '#/store/simulated-orders.ts'
import type { Db } from '#/store/tables.ts'

export type SimulatorSettings = { stepMs: number; slowMs: number; receipts: string | undefined }

type Needs = { db: Db; settings: SimulatorSettings }

/**
 * A simulated restaurant, for test restaurants and development. It keeps what it received in rows of its
 * own, as a real one would, so that an order sent twice is one order.
 */
export async function transmitToSimulator(
  needs: Needs,
  behaviour: SimulatorBehaviour,
  sent: Transmission,
): Promise<Receipt> {
  if (behaviour === 'unreachable')
    return { kind: 'not-reached', reason: 'the simulated restaurant takes no connection' }
  if (behaviour === 'silent') {
    await wait(ANSWER_WITHIN_MS)
    return { kind: 'unknown', reason: 'the simulated restaurant did not answer' }
  }
  if (behaviour === 'slow') await wait(needs.settings.slowMs)
  return receive(needs, sent, behaviour === 'refuses' ? 'refused' : 'accepted')
}

async function receive(
  { db, settings }: Needs,
  { order, webhookId }: Transmission,
  outcome: 'accepted' | 'refused',
): Promise<Receipt> {
  const { receipts } = settings
  await simulatedOrders.receive(db, order.apiKey, {
    outcome,
    firstStatusInMs: outcome === 'accepted' ? settings.stepMs : null,
  })
  if (receipts !== undefined)
    await simulatedOrders.note(db, order.apiKey, (mayBeWritten) =>
      writeReceipt(receipts, { orderApiKey: order.apiKey, webhookId, outcome }, mayBeWritten),
    )
  return outcome === 'accepted'
    ? { kind: 'accepted' }
    : { kind: 'refused', reason: 'The kitchen cannot take any more orders.' }
}

/** One line an order: the file is searched only for an order that came before. */
async function writeReceipt(
  file: string,
  receipt: { orderApiKey: string; webhookId: string; outcome: string },
  mayBeWritten: boolean,
): Promise<void> {
  if (mayBeWritten && (await readFile(file, 'utf8').catch(noFileYet)).includes(receipt.orderApiKey)) return
  await appendFile(file, `${JSON.stringify({ at: new Date().toISOString(), ...receipt })}\n`)
}

function noFileYet(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return ''
  throw error
}
