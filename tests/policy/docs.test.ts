import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { pages } from '../../dev/docs/pages.ts'

test.each(Object.entries(pages()))('docs/%s equals the output of `npm run docs`', async (name, text) => {
  expect(await readFile(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), 'utf8')).toBe(text)
})
