import type { Operation } from '@platter/contracts'

type Method = Operation['method'] | 'PATCH'

/**
 * Returns the methods of an operation's route. Clients of the original interface also read by POST, and change by PUT and PATCH;
 * the path alone identifies the operation. A GET route also accepts HEAD.
 */
export function methodsOf(operation: Operation, operations: readonly Operation[]): Method[] {
  const { audience, method, path } = operation
  if (audience !== 'application') return [method]
  if (method === 'POST') return ['POST', 'PUT', 'PATCH']
  const isPosted = operations.some((other) => other.path === path && other.method === 'POST')
  return method === 'GET' && !isPosted ? ['GET', 'POST'] : [method]
}
