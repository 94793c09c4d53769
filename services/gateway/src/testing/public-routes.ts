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

/** Registers operations with limits that a test does not reach. */
export function addPublicRoutes(app: App, given: Pick<Deps, 'operations' | 'owners'> & Partial<Deps>): void {
  const rate = new LeakyBucket({ name: 'default', what: 'requests', requests: 1_000, seconds: 1 })
  publicRoutes(app, {
    streamReplicas: given.owners.orders ?? new Replicas([]),
    admission: new Admission({ replicas: {}, accessKeyRate: rate, orderRate: rate }),
    streams: new Streams(),
    accessKeys: anyAccessKey(),
    deadlineMs: 10_000,
    secrets: ['x'.repeat(32)],
    ...given,
  })
}
