import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { observabilityFiles } from '../observability/files.ts'
import { componentFiles } from '../observability/manifests.ts'
import { pages } from './pages.ts'

for (const [folder, files] of [
  ['docs', pages()],
  ['deploy/observability', observabilityFiles()],
  ['deploy/kubernetes/components', componentFiles()],
] as const)
  for (const [name, text] of Object.entries(files))
    await writeFile(fileURLToPath(new URL(`../../${folder}/${name}`, import.meta.url)), text)
