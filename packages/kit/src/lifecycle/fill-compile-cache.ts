import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/*
 * `PORT=none start.sh node fill-compile-cache.ts src/main.ts …`: has Node keep what it makes of the sources of these processes
 * (NODE_COMPILE_CACHE), those that they load only for telemetry as well. A process reads its configuration when all is loaded, and
 * ends there for want of a port.
 */

await import('#/telemetry/sdk.ts')
for (const main of process.argv.slice(2))
  try {
    await import(pathToFileURL(resolve(main)).href)
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('PORT: '))) throw error
  }
