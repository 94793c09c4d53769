import { audiences, type Audience, type Operation } from '@platter/contracts'

/** The audience of an operation, by its path. */
export const audienceOf = ({ path }: Pick<Operation, 'path'>): Audience | undefined =>
  Object.entries(audiences).find(([prefix]) => path.startsWith(`${prefix}/`))?.[1]

export type Method = Operation['method'] | 'PATCH'

/**
 * The methods of an operation's route. Clients of the original interface also read by POST, and change by PUT and PATCH; the path
 * alone identifies the operation. HEAD comes with GET.
 */
export function methodsOf(operation: Operation, operations: readonly Operation[]): Method[] {
  const { method, path } = operation
  if (audienceOf(operation) !== 'application') return [method]
  if (method === 'POST') return ['POST', 'PUT', 'PATCH']
  const isPosted = operations.some((other) => other.path === path && other.method === 'POST')
  return method === 'GET' && !isPosted ? ['GET', 'POST'] : [method]
}
