import { accessKeyPrefix, hashAccessKey, makeAccessKey, newApiKey } from '@platter/kit'

/** A new access key: `kept` is for the database, the key itself for the one answer that shows it. */
export function newAccessKey(mode: 'live' | 'test') {
  const accessKey = makeAccessKey(mode)
  return {
    accessKey,
    kept: { id: newApiKey(), hash: hashAccessKey(accessKey), prefix: accessKeyPrefix(accessKey) },
  }
}
