import type { ReadAttention } from '@platter/contracts'
import { page, type Handler } from '@platter/kit'
import type { Deps } from '#/operating/incident-sources.ts'
import { Position, readAttention } from '#/operating/incidents.ts'

/** The response excludes the contents of messages, which may be personal data. */
export const attention =
  (deps: Deps): Handler<typeof ReadAttention> =>
  async (call) => {
    const { requestId, deadline } = call
    const incidents = await page(
      call,
      Position,
      (range) => readAttention(deps, range, { requestId, deadline }),
      ({ position }) => position,
    )
    return incidents.map(({ item }) => item)
  }
