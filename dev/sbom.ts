/**
 * `npm run sbom` writes the contents of each image to .run/sbom, and `npm run sbom -- FOLDER` to another folder: one CycloneDX
 * document per image, to archive with the build. The Dockerfile adds the same document to the image.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sbomOf } from './packages/sbom.ts'
import { readComposeFile } from './servers/compose-file.ts'

const [folder = join(import.meta.dirname, '../.run/sbom')] = process.argv.slice(2)

type Build = { args: { PACKAGE: string } }
const images = Object.values(readComposeFile()).flatMap(({ image, build }) =>
  build === undefined ? [] : [[image, (build as Build).args.PACKAGE] as const],
)

mkdirSync(folder, { recursive: true })
for (const [image, source] of new Map(images)) {
  const sbom = sbomOf(source)
  const file = join(folder, `${image.replace('/', '-')}.cdx.json`)
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`)
  console.log(`${file}: ${sbom.components.length} components`)
}
