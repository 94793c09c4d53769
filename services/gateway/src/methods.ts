import { audiences, type Audience, type Operation } from '@platter/contracts'

/** Whom an operation is for. */
export const audienceOf = ({ path }: Pick<Operation, 'path'>): Audience | undefined =>
  Object.entries(audiences).find(([prefix]) => path.startsWith(`${prefix}/`))?.[1]

export type Method = Operation['method'] | 'PATCH'

/**
 * The methods that an operation is called by. Clients of the original interface read by POST, and change by PUT and PATCH:
 * the path alone tells what they want. HEAD comes with GET.
 */
export function methodsOf(operation: Operation, operations: readonly Operation[]): Method[] {
  const { method, path } = operation
  if (audienceOf(operation) !== 'application') return [method]
  if (method === 'POST') return ['POST', 'PUT', 'PATCH']
  const isPosted = operations.some((other) => other.path === path && other.method === 'POST')
  return method === 'GET' && !isPosted ? ['GET', 'POST'] : [method]
}
