import { accessKeyPrefix, hashAccessKey, looksLikeAccessKey } from '@platter/kit'
import { expect, test } from 'vitest'
import { derivedAccessKeys } from '#/derived-access-keys.ts'

const SECRET = 'an internal secret of 32 characters or more'

function issued(mode: 'live' | 'test' = 'live') {
  const accessKeys = derivedAccessKeys([SECRET])
  const { nonce, stored } = accessKeys.issue(mode)
  const body = JSON.stringify({
    id: stored.id,
    accessKey: nonce,
    prefix: stored.prefix,
    created: 1_763_000_000,
  })
  const shown = accessKeys.reveal(body)
  return { stored, body, shown, accessKey: (JSON.parse(shown) as { accessKey: string }).accessKey }
}

test('any replica reveals the same access key', () => {
  const { body, shown } = issued()
  expect(derivedAccessKeys([SECRET]).reveal(body)).toBe(shown)
})

test.each(['live', 'test'] as const)('reveals the %s key whose hash and prefix are stored', (mode) => {
  const { stored, accessKey } = issued(mode)
  expect(accessKey.startsWith(`platter_${mode}_`)).toBe(true)
  expect(looksLikeAccessKey(accessKey)).toBe(true)
  expect(hashAccessKey(accessKey)).toBe(stored.hash)
  expect(accessKeyPrefix(accessKey)).toBe(stored.prefix)
})

test('the access key cannot be derived from stored values without INTERNAL_SECRET', () => {
  const { stored, body, accessKey } = issued()
  const secretPart = accessKey.slice(stored.prefix.length)
  expect(body + JSON.stringify(stored)).not.toContain(secretPart)
  expect(() => derivedAccessKeys(['another secret of 32 characters or more']).reveal(body)).toThrow(
    'can no longer be shown',
  )
})

test('reveals a key that was issued with the previous INTERNAL_SECRET', () => {
  const { body, shown } = issued()
  expect(derivedAccessKeys(['the next secret of 32 characters or more', SECRET]).reveal(body)).toBe(shown)
})

test('1,000 keys are different', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => issued().accessKey)).size).toBe(1_000)
})
