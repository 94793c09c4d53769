import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { referenceScript } from '#/reference-page.ts'

test('requests for the script without gzip share its bytes in memory', async () => {
  const script = referenceScript()
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => script.plain()))
  for (const one of [...others, await script.plain()]) expect(one).toBe(first)
  expect(first?.equals(gunzipSync(await script.zipped()))).toBe(true)
})
