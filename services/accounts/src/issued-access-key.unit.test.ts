import { accessKeyPrefix, hashAccessKey, looksLikeAccessKey } from '@platter/kit'
import { expect, test } from 'vitest'
import { issuedAccessKeys } from '#/issued-access-key.ts'

const SECRET = 'an internal secret of 32 characters or more'

function issued(mode: 'live' | 'test' = 'live') {
  const accessKeys = issuedAccessKeys([SECRET])
  const { nonce, kept } = accessKeys.issue(mode)
  const body = JSON.stringify({ id: kept.id, accessKey: nonce, prefix: kept.prefix, created: 1_763_000_000 })
  const shown = accessKeys.reveal(body)
  return { kept, body, shown, accessKey: (JSON.parse(shown) as { accessKey: string }).accessKey }
}

test('an access key is shown again byte for byte, by any replica', () => {
  const { body, shown } = issued()
  expect(issuedAccessKeys([SECRET]).reveal(body)).toBe(shown)
})

test.each(['live', 'test'] as const)('what is shown is the %s key whose hash and prefix are kept', (mode) => {
  const { kept, accessKey } = issued(mode)
  expect(accessKey.startsWith(`platter_${mode}_`)).toBe(true)
  expect(looksLikeAccessKey(accessKey)).toBe(true)
  expect(hashAccessKey(accessKey)).toBe(kept.hash)
  expect(accessKeyPrefix(accessKey)).toBe(kept.prefix)
})

test('what is kept does not give the key away', () => {
  const { kept, body, accessKey } = issued()
  const secretPart = accessKey.slice(kept.prefix.length)
  expect(body + JSON.stringify(kept)).not.toContain(secretPart)
  expect(() => issuedAccessKeys(['another secret of 32 characters or more']).reveal(body)).toThrow(
    'can no longer be shown',
  )
})

test('while INTERNAL_SECRET is changed, a key that was issued with the one is shown with the other beside it', () => {
  const { body, shown } = issued()
  expect(issuedAccessKeys(['the next secret of 32 characters or more', SECRET]).reveal(body)).toBe(shown)
})

test('1,000 keys are 1,000 different ones', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => issued().accessKey)).size).toBe(1_000)
})
