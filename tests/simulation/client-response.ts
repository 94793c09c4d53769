import { problems, requestTimes, SendOrder, type ProblemCode } from '@platter/contracts'
import { Deadline, Problem, Rendered } from '@platter/kit'
import type { Entry } from '../support/order-clients.ts'
import { noteMistake } from './processes.ts'

/** `code`: the code of a problem, or the reason of a cancellation. `open`: the order has no outcome yet. */
export type ClientResponse = NonNullable<Entry['response']> & { open: boolean }

/** The parameters of a handler other than the data of the request. */
export const noHttp = () => ({
  deadline: Deadline.in(requestTimes.deadline - requestTimes.relay),
  unknownFields: [],
  params: undefined,
  query: undefined,
  url: SendOrder.path,
  headers: {},
  setHeader: () => undefined,
  concerns: () => undefined,
})

/**
 * An order that failed after its response ends as if it had been rejected. An order that its customer or an operator cancelled was
 * placed.
 */
export const asEnd = (response: ClientResponse): ClientResponse =>
  response.code === null || response.code === 'order-cancelled'
    ? response
    : { ...response, status: problems[response.code as ProblemCode].status }

export function readResponse(response: unknown): ClientResponse {
  const { status, body } =
    response instanceof Rendered ? response : { status: 200, body: JSON.stringify(response) }
  const document = JSON.parse(String(body)) as Record<string, unknown>
  if (status !== 200)
    return { status, code: String(document['code']), apiKey: null, totalCents: null, open: false }
  const cancellation = document['cancellation'] as { reason: string } | null
  return {
    status,
    code: cancellation?.reason ?? null,
    apiKey: String(document['apiKey']),
    totalCents: Math.round(Number(document['total']) * 100),
    open: document['status'] === 'PROCESSING' && cancellation === null,
  }
}

export function problemOf(error: unknown): ClientResponse {
  const { status, code } = error instanceof Problem ? error : { status: 503, code: 'service-unavailable' }
  noteMistake(error)
  return { status, code, apiKey: null, totalCents: null, open: false }
}
