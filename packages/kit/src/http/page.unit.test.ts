import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { page, type PageRange } from '#/http/page.ts'
import { Problem } from '#/http/problem.ts'

/** The numbers from `size` down to 1, as a store lists them. */
const listOf = (size: number) => {
  const all = Array.from({ length: size }, (_, index) => size - index)
  return async ({ before, limit }: PageRange<number>) =>
    all.filter((one) => before === null || one < before).slice(0, limit)
}

/** One page of a request for `url`, and the URL in its Link header. */
async function pageAt(url: string, size: number) {
  const { searchParams } = new URL(url, 'http://relative')
  const query = { limit: Number(searchParams.get('limit')), cursor: searchParams.get('cursor') ?? undefined }
  const links: string[] = []
  const setHeader = (_name: string, value: string) => void links.push(value)
  const records = await page({ query, url, setHeader }, z.int(), listOf(size), (record) => record)
  return { records, next: links[0]?.match(/^<(.*)>; rel="next"$/)?.[1] }
}

test('the pages of a list have every record once, and only the last page has no link', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 20 }), fc.integer({ min: 1, max: 5 }), async (size, limit) => {
      const read: number[] = []
      let pages = 0
      for (let url: string | undefined = `/orders?open=true&limit=${limit}`; url !== undefined; pages++) {
        expect(url).toContain('open=true')
        const { records, next } = await pageAt(url, size)
        read.push(...records)
        url = next
      }
      expect(read).toEqual(await listOf(size)({ before: null, limit: size }))
      expect(pages).toBe(Math.max(1, Math.ceil(size / limit)))
    }),
  )
})

test('refuses a cursor that is not one of a Link header', async () => {
  for (const cursor of ['zz', 'bnVsbA', Buffer.from('"text"').toString('base64url')])
    await expect(pageAt(`/orders?limit=1&cursor=${cursor}`, 3)).rejects.toBeInstanceOf(Problem)
})
