import { expect, test } from 'vitest'
import { accessKeyPrefix, hashAccessKey, looksLikeAccessKey, makeAccessKey } from '#/security/access-key.ts'

const KEYS = 50_000
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const random36 = () => Array.from({ length: 36 }, () => anyOf(BASE62)).join('')
const pick = (below: number) => Math.floor(Math.random() * below)
const anyOf = (letters: string) => letters[pick(letters.length)] ?? ''

/** What happens to a key between a screen and a keyboard. None of them gives the same key back. */
const MISTAKES: Record<string, (key: string, at: number) => string> = {
  'another letter': (key, at) =>
    key.slice(0, at) + anyOf(BASE62.replace(key[at] ?? '', '')) + key.slice(at + 1),
  'two letters the other way round': (key, at) =>
    key.slice(0, at) + (key[at + 1] ?? '') + (key[at] ?? '') + key.slice(at + 2),
  'a letter too few': (key, at) => key.slice(0, at) + key.slice(at + 1),
  'a letter too many': (key, at) => key.slice(0, at) + anyOf(BASE62) + key.slice(at),
  'a letter twice': (key, at) => key.slice(0, at) + (key[at] ?? '') + key.slice(at),
  'capitals for small letters': (key) => key.toUpperCase(),
  'the end cut off': (key, at) => key.slice(0, at),
}

test('a key that is made is taken for one; of 178 random bits no two are the same', () => {
  const keys = Array.from({ length: 1_000 }, (_, at) => makeAccessKey(at % 2 ? 'live' : 'test'))
  expect(keys.filter((key) => !looksLikeAccessKey(key))).toEqual([])
  expect(new Set(keys).size).toBe(1_000)
  expect(new Set(keys.map(accessKeyPrefix)).size).toBeGreaterThan(990)
  expect(new Set(keys.map(hashAccessKey)).size).toBe(1_000)
})

test('no random key of the right shape has the right checksum', () => {
  const taken = Array.from({ length: KEYS }, () => `platter_live_${random36()}`).filter(looksLikeAccessKey)
  expect(taken).toEqual([])
})

test.each(Object.entries(MISTAKES))('a key with %s is refused', (_, mistake) => {
  const body = 'platter_live_'.length
  const keys = Array.from({ length: KEYS / 10 }, () => makeAccessKey('live'))
  const taken = keys.filter((key) => {
    const mistaken = mistake(key, body + pick(35))
    return mistaken !== key && looksLikeAccessKey(mistaken)
  })
  expect(taken).toEqual([])
})

test.each([
  '',
  ' ',
  'platter_live_',
  'fo_live_abc',
  'platter_live_é'.padEnd(49, 'é'),
  'x'.repeat(10_000_000),
])('what is no key at all is refused', (text) => {
  expect(looksLikeAccessKey(text)).toBe(false)
})

test('a key with something around it is no key', () => {
  const key = makeAccessKey('live')
  for (const text of [` ${key}`, `${key}\n`, `${key}, ${key}`, `Bearer ${key}`, `${key}\u0000`])
    expect(looksLikeAccessKey(text)).toBe(false)
})
