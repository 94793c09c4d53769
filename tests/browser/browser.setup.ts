import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { plainReporter } from '../../dev/progress.ts'
import { ensureChromium } from '../../dev/servers/chromium.ts'
import startStack from '../e2e/stack.setup.ts'
import { print } from '../support/stack.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The program of the browser. Null if no browser is installed. */
    browser: string | null
  }
}

/** Finds the browser, and starts a stack like that of end-to-end tests. Without a browser, it starts no stack. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const directory = fileURLToPath(new URL('../../.run/browser', import.meta.url))
  const executablePath = await ensureChromium(directory, plainReporter(print))
  project.provide('browser', executablePath)
  if (executablePath === null) {
    print(
      'The browser tests DO NOT RUN: there is no Chromium. Install it: sudo apt-get install chromium-headless-shell',
    )
    return undefined
  }
  return startStack(project)
}
