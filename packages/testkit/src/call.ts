import type { Operation } from '@platter/contracts'
import { Deadline, type Call } from '@platter/kit'

/** Returns the parameter of a handler. `given` has the parts of the request that the handler reads. */
export const callOf = <O extends Operation>(operation: O, given: Partial<Call<O>>): Call<O> =>
  ({
    params: undefined,
    query: undefined,
    body: undefined,
    requestId: 'request-1',
    headers: {},
    url: operation.path,
    unknownFields: [],
    idempotency: null,
    deadline: Deadline.in(10_000),
    setHeader: () => undefined,
    setOrderApiKey: () => undefined,
    ...given,
  }) as Call<O>
