import { expect, test } from 'vitest'
import { accessKeyPrefix, hashAccessKey, looksLikeAccessKey, makeAccessKey } from '#/security/access-key.ts'

const KEYS = 50_000
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const random36 = () => Array.from({ length: 36 }, () => anyOf(BASE62)).join('')
const pick = (below: number) => Math.floor(Math.random() * below)
const anyOf = (letters: string) => letters[pick(letters.length)] ?? ''

/** Errors of typing and copying. */
const MISTAKES: Record<string, (key: string, at: number) => string> = {
  'another letter': (key, at) =>
    key.slice(0, at) + anyOf(BASE62.replace(key[at] ?? '', '')) + key.slice(at + 1),
  'two swapped letters': (key, at) =>
    key.slice(0, at) + (key[at + 1] ?? '') + (key[at] ?? '') + key.slice(at + 2),
  'a missing letter': (key, at) => key.slice(0, at) + key.slice(at + 1),
  'an additional letter': (key, at) => key.slice(0, at) + anyOf(BASE62) + key.slice(at),
  'a doubled letter': (key, at) => key.slice(0, at) + (key[at] ?? '') + key.slice(at),
  'capitals instead of small letters': (key) => key.toUpperCase(),
  'a truncated end': (key, at) => key.slice(0, at),
}

test('1,000 generated keys are valid and differ from each other', () => {
  const keys = Array.from({ length: 1_000 }, (_, at) => makeAccessKey(at % 2 ? 'live' : 'test'))
  expect(keys.filter((key) => !looksLikeAccessKey(key))).toEqual([])
  expect(new Set(keys).size).toBe(1_000)
  expect(new Set(keys.map(accessKeyPrefix)).size).toBeGreaterThan(990)
  expect(new Set(keys.map(hashAccessKey)).size).toBe(1_000)
})

test('none of 50,000 random keys of the right shape has a valid checksum', () => {
  const accepted = Array.from({ length: KEYS }, () => `platter_live_${random36()}`).filter(looksLikeAccessKey)
  expect(accepted).toEqual([])
})

test.each(Object.entries(MISTAKES))('a key with %s is refused', (_, mistake) => {
  const body = 'platter_live_'.length
  const keys = Array.from({ length: KEYS / 10 }, () => makeAccessKey('live'))
  const accepted = keys.filter((key) => {
    const mistaken = mistake(key, body + pick(35))
    return mistaken !== key && looksLikeAccessKey(mistaken)
  })
  expect(accepted).toEqual([])
})

test.each([
  '',
  ' ',
  'platter_live_',
  'fo_live_abc',
  'platter_live_é'.padEnd(49, 'é'),
  'x'.repeat(10_000_000),
])('a text without the shape of a key is refused', (text) => {
  expect(looksLikeAccessKey(text)).toBe(false)
})

test('a key with other characters around it is refused', () => {
  const key = makeAccessKey('live')
  for (const text of [` ${key}`, `${key}\n`, `${key}, ${key}`, `Bearer ${key}`, `${key}\u0000`])
    expect(looksLikeAccessKey(text)).toBe(false)
})
