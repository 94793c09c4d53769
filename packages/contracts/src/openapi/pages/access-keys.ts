import { keys } from '#/openapi/examples.ts'
import type { Pages } from '#/openapi/page.ts'

const PREFIX = 'platter_live_9kQ2'

const issued = {
  id: keys.accessKey,
  accessKey: 'platter_live_9kQ2mX7vB4nT8sLw3RzY6cHdJ5pG1f0aUeKq',
  prefix: PREFIX,
  created: 1795199400,
}

const kept = {
  id: keys.accessKey,
  kind: 'application',
  prefix: PREFIX,
  created: 1795199400,
  imported: false,
  lastUsed: 1795203000,
  expires: null,
  revoked: null,
}

const list = { description: 'The access keys.', example: [kept] }

export const accessKeyPages: Pages = {
  'issue-access-key': {
    description: 'An access key of a client application. Only its hash is kept, so it is shown this once.',
    bodies: { 'For real orders': { mode: 'live' }, 'For a test environment': { mode: 'test' } },
    answer: { description: 'The access key.', example: issued },
  },
  'issue-restaurant-access-key': {
    description:
      'An access key that is bound to one restaurant. Only its hash is kept, so it is shown this once.',
    bodies: { 'A key': { mode: 'live' } },
    answer: { description: 'The access key.', example: issued },
  },
  'issue-operator-access-key': {
    description:
      'Another access key of an operator: one for each person and each tool can be revoked without the others.',
    bodies: { 'A key': { mode: 'live' } },
    answer: { description: 'The access key.', example: issued },
  },
  'application-access-keys': {
    description: 'The access keys of a client application, newest first, also those that have ended.',
    answer: list,
  },
  'restaurant-access-keys': {
    description: 'The access keys of a restaurant, newest first, also those that have ended.',
    answer: { ...list, example: [{ ...kept, kind: 'restaurant' }] },
  },
  'operator-access-keys': {
    description: 'The access keys of operators, newest first, also those that have ended.',
    answer: { ...list, example: [{ ...kept, kind: 'operator' }] },
  },
  'revoke-access-key': {
    description:
      'Ends an access key of any kind; within a second it lets nobody in any more. Revoking it again changes nothing. The last access key of an operator without an end cannot be revoked.',
    answer: { description: 'The access key.', example: { ...kept, revoked: 1795206600 } },
  },
  'rotate-access-key': {
    description:
      'A new access key for the same holder, shown this once. The old one goes on for `overlapMinutes` (a day when nothing is said, 0 ends it at once), so that nothing has to stand still while the new one is brought to where the old one is. Both count as one caller: an `Idempotency-Key` that was sent with the old one is known with the new one, and the rate limit is shared.',
    bodies: { 'A day to change': { overlapMinutes: 1440 }, 'At once': { overlapMinutes: 0 } },
    answer: {
      description: 'The new access key, and the end of the old one.',
      example: { ...issued, replaces: { ...kept, expires: 1795286400 } },
    },
  },
}
