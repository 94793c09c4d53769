import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { referenceScript } from '#/reference-page.ts'

test('requests for the script share its compressed bytes in memory', async () => {
  const script = referenceScript()
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => script()))
  for (const one of [...others, await script()]) expect(one).toBe(first)
  expect(gunzipSync(await script()).toString()).toContain('Scalar')
})
