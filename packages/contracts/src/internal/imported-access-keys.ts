import { z } from 'zod'
import { internalOperation } from '#/operation.ts'

/**
 * Returns the hashes of all imported keys that are neither revoked nor expired. These keys have no checksum, so the gateway needs
 * the list to reject random strings. `known` is the caller's version; `hashes` is null if it is current.
 */
export const ImportedAccessKeys = internalOperation({
  name: 'imported-access-keys',
  path: '/internal/imported-access-keys',
  owner: 'accounts',
  body: z.object({ known: z.string().nullable() }),
  response: z.object({ version: z.string(), hashes: z.array(z.string()).nullable() }),
})
