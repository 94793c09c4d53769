import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { pages } from './pages.ts'

for (const [name, text] of Object.entries(pages())) {
  await writeFile(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), text)
}
