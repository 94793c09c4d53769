import { sbomOf } from './sbom.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined)
  throw new Error('The folder is missing: node dev/packages/print-sbom.ts services/orders')
console.log(JSON.stringify(sbomOf(folder), null, 2))
