import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { plainReporter } from '../../dev/progress.ts'
import { ensureChromium } from '../../dev/servers/chromium.ts'
import startStack from '../e2e/stack.setup.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The program; null where there is none. */
    chromium: string | null
  }
}

/** A browser and a stack as end-to-end tests have it; no stack where there is no browser. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const directory = fileURLToPath(new URL('../../.run/browser', import.meta.url))
  const reporter = plainReporter((line) => process.stderr.write(`${line}\n`))
  const chromium = await ensureChromium(directory, reporter)
  project.provide('chromium', chromium)
  if (chromium !== null) return startStack(project)
  reporter.say(
    'The browser tests DO NOT RUN: there is no Chromium. Install it: sudo apt-get install chromium-headless-shell',
  )
  return undefined
}
