import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/*
 * Fills Node's compile cache (NODE_COMPILE_CACHE) with the sources of processes, including the telemetry SDK:
 * `PORT=none start.sh node fill-compile-cache.ts src/main.ts …`. A process reads its configuration after it has loaded all sources,
 * and then ends because PORT is invalid.
 */

await import('#/telemetry/sdk.ts')
for (const main of process.argv.slice(2))
  try {
    await import(pathToFileURL(resolve(main)).href)
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('PORT: '))) throw error
  }
