import { cents } from '@platter/contracts'
import { createLog } from '@platter/kit'
import { expect, test } from 'vitest'
import { commandExecutor } from '#/command-executor.ts'
import { authorize } from '#/handlers/authorize.ts'
import { NO_PROCESSOR, noProcessor } from '#/outside/no-processor.ts'
import { memoryAuthorizations } from '#/testing/memory-authorizations.ts'

const step = { orderApiKey: 'o1', step: 'authorize', undo: false, version: 1, attempt: 1 }
const command = { ...step, amount: cents(1_075), token: 'tok_of_an_earlier_processor' }

const noLimits = { countDeclineOfToken: async () => undefined }

/** Payments with PROCESSOR=none. */
function withoutProcessor() {
  const authorizations = memoryAuthorizations()
  const log = createLog('payments', 'silent')
  const execute = commandExecutor({ authorizations, processor: noProcessor(), limits: noLimits, log })
  const handle = authorize({ authorizations, execute, refusal: NO_PROCESSOR })
  const release = async () =>
    execute({ kind: 'release' }, await authorizations.requestRelease(command.orderApiKey))
  return { authorizations, handle, release }
}

test('PROCESSOR=none refuses an order by a saved card at once, also when its command is repeated', async () => {
  const { handle, release } = withoutProcessor()
  const refused = { kind: 'refused', refusal: { code: 'payment-not-possible' } }
  expect(await handle(command)).toMatchObject(refused)
  expect(await handle(command)).toMatchObject(refused)
  expect(await release(), 'a release has nothing to do').toEqual({ kind: 'done', paymentState: 'VOIDED' })
})

test('PROCESSOR=none leaves an authorization of an earlier processor unknown', async () => {
  const { authorizations, handle } = withoutProcessor()
  const { amount, token } = command
  await authorizations.findOrCreate(command.orderApiKey, { amount, token })
  expect(await handle(command)).toBeNull()
  expect(await authorizations.find(command.orderApiKey)).toMatchObject({ state: 'sent' })
})
