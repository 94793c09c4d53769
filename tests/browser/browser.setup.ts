import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { plainReporter } from '../../dev/progress.ts'
import { ensureChromium } from '../../dev/servers/chromium.ts'
import startStack from '../e2e/stack.setup.ts'
import { print } from '../support/stack.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the browser. Null if no browser is installed. */
    browser: string | null
  }
}

/** All pages are of one site. Without site isolation, a page needs two processes instead of three. */
const FLAGS = ['--disable-gpu', '--disable-site-isolation-trials']

/** Starts one browser for all files, and a stack like that of end-to-end tests. Without a browser, it starts no stack. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const directory = fileURLToPath(new URL('../../.run/browser', import.meta.url))
  const executablePath = await ensureChromium(directory, plainReporter(print))
  if (executablePath === null) {
    project.provide('browser', null)
    print(
      'The browser tests DO NOT RUN: there is no Chromium. Install it: sudo apt-get install chromium-headless-shell',
    )
    return undefined
  }
  const [browser, stopStack] = await Promise.all([
    chromium.launchServer({ executablePath, args: FLAGS }),
    startStack(project),
  ])
  project.provide('browser', browser.wsEndpoint())
  return async () => {
    await browser.close()
    await stopStack()
  }
}
