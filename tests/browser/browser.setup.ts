import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { plainReporter } from '../../dev/progress.ts'
import { ensureChromium } from '../../dev/servers/chromium.ts'
import startStack from '../e2e/stack.setup.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the browser; null where there is none. */
    browser: string | null
  }
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
  // A page is of one site: without isolation of sites it needs two processes to start instead of three.
  '--disable-site-isolation-trials',
]

/** One browser for all files, and a stack as end-to-end tests have it; no stack where there is no browser. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const directory = fileURLToPath(new URL('../../.run/browser', import.meta.url))
  const reporter = plainReporter((line) => process.stderr.write(`${line}\n`))
  const executablePath = await ensureChromium(directory, reporter)
  if (executablePath === null) {
    project.provide('browser', null)
    reporter.say(
      'The browser tests DO NOT RUN: there is no Chromium. Install it: sudo apt-get install chromium-headless-shell',
    )
    return undefined
  }
  const [browser, stopStack] = await Promise.all([
    chromium.launchServer({ executablePath, args: FLAGS, headless: true }),
    startStack(project),
  ])
  project.provide('browser', browser.wsEndpoint())
  return async () => {
    await browser.close()
    await stopStack()
  }
}
