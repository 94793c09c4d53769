import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/*
 * Fills Node's compile cache (NODE_COMPILE_CACHE) with the sources of a process, including the telemetry SDK, while an image is
 * built: `PORT=none start.sh node fill-compile-cache.ts src/main.ts`. The process reads its configuration after it has loaded all
 * sources, and then ends because PORT is invalid.
 */

const [, , main = ''] = process.argv
await import('#/telemetry/sdk.ts')
try {
  await import(pathToFileURL(resolve(main)).href)
} catch (error) {
  if (!(error instanceof Error && error.message.includes('PORT: '))) throw error
}
