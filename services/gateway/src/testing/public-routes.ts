import { LeakyBucket, Replicas, type App } from '@platter/kit'
import type { AccessKeys } from '#/access-keys.ts'
import { Admission } from '#/admission.ts'
import { publicRoutes, type Deps } from '#/routes/public-routes.ts'
import { Streams } from '#/streams.ts'

const principal = { kind: 'application', applicationId: 'a', accessKeyId: 'k', mode: 'live' } as const

/** Every access key is valid and belongs to one application, except for `changes`. */
export const anyAccessKey = (changes: Partial<AccessKeys> = {}) =>
  ({
    lastKnown: () => null,
    principalOf: async () => principal,
    isStillValid: async () => true,
    ...changes,
  }) as unknown as AccessKeys

export const ONE_REPLICA_EACH = { accounts: 1, catalog: 1, orders: 1, payments: 1 }

/** `owners`: the services of the operations. */
type Given = Pick<Deps, 'operations'> & { owners: Partial<Deps['owners']> } & Partial<Omit<Deps, 'owners'>>

/** Registers operations with limits that a test does not reach. */
export function addPublicRoutes(app: App, { owners, ...given }: Given): void {
  const rate = new LeakyBucket({ name: 'default', what: 'requests', requests: 1_000, seconds: 1 })
  publicRoutes(app, {
    streamReplicas: owners.orders ?? new Replicas([]),
    admission: new Admission({ replicas: ONE_REPLICA_EACH, accessKeyRate: rate, orderRate: rate }),
    streams: new Streams(),
    accessKeys: anyAccessKey(),
    deadlineMs: 10_000,
    secrets: ['x'.repeat(32)],
    ...given,
    owners: owners as Deps['owners'],
  })
}
