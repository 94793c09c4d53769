import type { AccessKey } from '@platter/contracts'
import { call, eventually, fromElsewhere, get, stack, type Options, type ProblemBody } from './client.ts'

/* Shared code of the tests of applications and of access keys. */

export type Issued = { id: string; accessKey: string; prefix: string } & ProblemBody
export type Rotated = Issued & { replaces: AccessKey }

/** Sends a POST of the operator, with options such as an idempotency key. */
export const operatorPost = <T>(path: string, body?: unknown, options: Options = {}) =>
  call<T>(`/operatorapi/v1/${path}`, {
    method: 'POST',
    key: stack().operatorKey,
    ...(body !== undefined && { body }),
    ...options,
  })

export const APPLICATION_NAME = 'keys'

/** Creates a client application. Returns its id. */
export const newApplication = async (): Promise<string> =>
  (await operatorPost<{ id: string }>('applications', { name: APPLICATION_NAME })).body.id

export const issueKey = async (path: string, body: unknown = {}): Promise<Issued> =>
  (await operatorPost<Issued>(path, body)).body

/** Issues an access key of a new application. */
export const newAccessKey = async (): Promise<Issued> =>
  issueKey(`applications/${await newApplication()}/access-keys`)

export const revoke = (id: string) => operatorPost<AccessKey & ProblemBody>(`access-keys/${id}/revoke`)
export const rotate = (id: string, body: unknown = {}) =>
  operatorPost<Rotated>(`access-keys/${id}/rotate`, body)

/** Returns the status of a public request with this access key. */
export const statusWith = async (key: string): Promise<number> =>
  (await get('restaurant/search?limit=1', { key, ...fromElsewhere() })).status

/**
 * Waits until six requests in a row, which reach all replicas, are rejected. The limit is a second:
 * services/gateway/src/access-keys.unit.test.ts.
 */
export const untilRefused = (key: string): Promise<Set<number>> =>
  eventually(
    async () => {
      const statuses: number[] = []
      for (let count = 0; count < 6; count++) statuses.push(await statusWith(key))
      return new Set(statuses)
    },
    (statuses) => statuses.size === 1 && statuses.has(401),
  )
