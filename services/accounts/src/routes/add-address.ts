import { AddAddress } from '@platter/contracts'
import { newApiKey, Problem, type Handler } from '@platter/kit'
import { NO_ROOM_FOR_ADDRESS } from '#/domain/room.ts'
import { keptOnce } from '@platter/kit/kept-once'
import { addAddress as add } from '#/store/addresses.ts'
import type { Own } from '#/store/tables.ts'

/** Specification 4.3. Where the address is on the map is found out by the catalog when something is ordered to it. */
export function addAddress(own: Own): Handler<typeof AddAddress> {
  const { once } = keptOnce((call) => own(call.principal.applicationId), AddAddress)
  return (call) =>
    once(call, async (trx) => {
      const { aptNumber = null, ...place } = call.body
      const address = { apiKey: newApiKey(), ...place, aptNumber, latitude: null, longitude: null }
      const owner = { userApiKey: call.params.apiKey, applicationId: call.principal.applicationId }
      const outcome = await add(trx, owner, address)
      if (outcome !== 'added') throw Problem.refusal(NO_ROOM_FOR_ADDRESS[outcome])
      return address
    })
}
