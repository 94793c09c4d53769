import { z } from 'zod'
import { internalOperation } from '#/operation.ts'
import { Caller } from '#/principal.ts'

/** Returns the principal of an access key by the SHA-256 (hex) of the key. The key itself stays in the gateway. */
export const ResolveAccessKey = internalOperation({
  name: 'resolve-access-key',
  path: '/internal/resolve-access-key',
  owner: 'accounts',
  body: z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) }),
  response: z.object({ principal: Caller.nullable() }),
})
