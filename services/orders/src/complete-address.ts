import type { Bus } from '@platter/bus'
import { CatalogCompleteAddress, missingOf, requestTimes, type OrderRequest } from '@platter/contracts'
import { Problem, type Deadline } from '@platter/kit'

type NewAddress = Extract<OrderRequest['address'], { saved: false }>

/** An order whose new address, if it has one, has city, state and ZIP code. */
export type CompleteOrder = Omit<OrderRequest, 'address'> & {
  address?:
    | Extract<OrderRequest['address'], { saved: true }>
    | (NewAddress & { city: string; state: string; zip: string })
    | undefined
}

/** Completes the new address of an order; catalog is asked only when something is missing. Throws a Problem for what cannot be completed. */
export async function withCompleteAddress(
  bus: Bus,
  { address, ...rest }: OrderRequest,
  request: { requestId: string; deadline: Deadline },
): Promise<CompleteOrder> {
  if (!address || address.saved) return { ...rest, address }
  const { city, state, zip } = address
  if (city !== undefined && state !== undefined && zip !== undefined)
    return { ...rest, address: { ...address, city, state, zip } }
  return { ...rest, address: await completed(bus, address, request) }
}

async function completed(
  bus: Bus,
  address: NewAddress,
  { requestId, deadline }: { requestId: string; deadline: Deadline },
) {
  const { saved: _saved, aptNumber: _apartment, ...asked } = address
  const options = { requestId, timeoutMs: deadline.limit(requestTimes.question) }
  const { city, state, zip, ...rest } = await bus.ask(CatalogCompleteAddress, asked, options)
  const missing = missingOf({ city, state, zip }, '/address')
  if (missing.length > 0 && rest.isUnavailable)
    throw new Problem('service-unavailable', 'Addresses cannot be looked up right now. Please try again.')
  if (missing.length > 0) throw Problem.of(missing)
  return { ...address, city, state, zip }
}
