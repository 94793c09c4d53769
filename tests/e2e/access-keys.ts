import type { AccessKey } from '@platter/contracts'
import { expectOk, fromElsewhere, get, operator, type Options, type ProblemBody } from './client.ts'

/* Shared code of the tests of applications and of access keys. */

export type Issued = { id: string; accessKey: string; prefix: string } & ProblemBody
type Rotated = Issued & { replaces: AccessKey }

/** Creates a client application. Returns its id. */
export const newApplication = async (name = 'keys'): Promise<string> =>
  expectOk(await operator<{ id: string }>('POST', 'applications', { name })).id

export const issueKey = async (path: string, body: unknown = {}): Promise<Issued> =>
  expectOk(await operator<Issued>('POST', path, body))

/** Issues an access key of a new application. */
export const newAccessKey = async (): Promise<Issued> =>
  issueKey(`applications/${await newApplication()}/access-keys`)

export const revoke = (id: string) => operator<AccessKey & ProblemBody>('POST', `access-keys/${id}/revoke`)
export const rotate = (id: string, body: unknown = {}, options: Options = {}) =>
  operator<Rotated>('POST', `access-keys/${id}/rotate`, body, options)

/** Returns the status of a public request with this access key. */
export const statusWith = async (key: string): Promise<number> =>
  (await get('restaurant/search?limit=1', { key, ...fromElsewhere() })).status
