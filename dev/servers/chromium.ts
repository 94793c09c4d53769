import { createProcessHost, findProgram } from '../process/host.ts'
import type { Reporter } from '../progress.ts'
import { canInstall, installPackages } from './programs.ts'

/**
 * The Chromium of this machine; null when there is none. The headless shell first: it took 0.6 s of CPU to open ten pages
 * where the whole browser took 3.2 s, and a page at rest 0.03 of a core instead of 0.34.
 */
export const findChromium = (): string | null =>
  findProgram('chromium-headless-shell', '/usr/bin') ??
  findProgram('chromium', '/usr/bin') ??
  findProgram('chromium-browser') ??
  findProgram('google-chrome')

/** The Chromium that browser tests drive, installed where that is possible; null where it is not. */
export async function ensureChromium(directory: string, reporter: Reporter): Promise<string | null> {
  const found = findChromium()
  if (found !== null || !canInstall()) return found
  const host = createProcessHost(directory)
  try {
    await installPackages(['chromium-headless-shell'], { host, reporter, signal: undefined })
  } catch (error) {
    // No network, or a Debian without it: the tests that need it are skipped, and say so.
    reporter.say(`Chromium could not be installed: ${error instanceof Error ? error.message : String(error)}`)
  }
  return findChromium()
}
