import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { pages } from './pages.ts'
import { prometheusRule } from './prometheus-rule.ts'

const write = (path: string, text: string) =>
  writeFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), text)

for (const [name, text] of Object.entries(pages())) await write(`docs/${name}`, text)
await write('deploy/kubernetes/components/monitoring/rules.yaml', prometheusRule())
