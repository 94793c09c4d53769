import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findTarget } from '#/target.ts'

const folder = mkdtempSync(join(tmpdir(), 'platter-key-'))
afterAll(() => rmSync(folder, { recursive: true }))
const keyFile = join(folder, 'operator.key')
const url = 'https://platter.example'

test('the key of a file has no line break, of Windows either', () => {
  writeFileSync(keyFile, 'platter_live_secret\r\n')
  expect(findTarget({ url, keyFile }, {})).toEqual({ url, key: 'platter_live_secret' })
})

test('an empty key names its source', () => {
  writeFileSync(keyFile, '\n')
  expect(() => findTarget({ url, keyFile }, {})).toThrow('The key file is empty.')
  expect(() => findTarget({ url }, { PLATTER_OPERATOR_KEY: '' })).toThrow('PLATTER_OPERATOR_KEY is empty.')
})

test('a key file with more than a key is wrong usage, and the error does not contain the key', () => {
  writeFileSync(keyFile, 'Key 7. It is shown only once:\nplatter_live_secret\n')
  const find = () => findTarget({ url, keyFile }, {})
  expect(find).toThrow(/^(?!.*platter_live).*one word/)
  expect(find).toThrow(expect.objectContaining({ code: 2 }))
})
