import { Bus } from '@platter/bus'
import { AccountsSave, type Attention } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { z } from 'zod'
import { eventually, operator, type ProblemBody } from './client.ts'
import { ownStack, setUpOwnStack } from './stack.ts'

/* Shared code of the tests of the operator's list of incidents. */

export const readIncidents = async (query = ''): Promise<Attention[]> =>
  (await operator<Attention[]>('GET', `attention${query}`)).body
export const retry = (id: string) =>
  operator<{ id: string; done: string } & ProblemBody>('POST', `attention/${id}/retry`)
export const incidentsOf = async (orderApiKey: string): Promise<Attention[]> =>
  (await readIncidents('?limit=200')).filter((one) => one.orderApiKey === orderApiKey)

export const STREET = '1 Unreadable Street'

/**
 * Connects a test file to RabbitMQ. Returns a function that publishes a message that accounts cannot parse, about a new order by
 * default.
 */
export function setUpDeadLetters(): (orderApiKey?: string) => Promise<Attention> {
  let bus: Bus
  setUpOwnStack(async () => {
    bus = new Bus({ url: ownStack().urls.rabbitmq, service: 'test', log: createLog('test', 'fatal') })
    await bus.start()
    return () => bus.close()
  })
  return async (orderApiKey = crypto.randomUUID()) => {
    const unreadable = { orderApiKey, step: 'save', undo: false, address: STREET }
    await bus.publish({ ...AccountsSave, data: z.any() }, unreadable, { requestId: 'planted' })
    const [letter] = await eventually(
      () => incidentsOf(orderApiKey),
      (found) => found.length > 0,
    )
    if (!letter) throw new Error('the dead letter is not listed')
    return letter
  }
}
