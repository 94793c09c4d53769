import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/*
 * `PORT=none start.sh node fill-compile-cache.ts src/main.ts`, while an image is built: has Node keep what it makes of the sources
 * of a process (NODE_COMPILE_CACHE), those that it loads only for telemetry as well. The process reads its configuration when all
 * is loaded, and ends there for want of a port.
 */

const [, , main = ''] = process.argv
await import('#/telemetry/sdk.ts')
try {
  await import(pathToFileURL(resolve(main)).href)
} catch (error) {
  if (!(error instanceof Error && error.message.includes('PORT: '))) throw error
}
