import { createProcessHost, findProgram } from '../process/host.ts'
import type { Reporter } from '../progress.ts'
import { canInstall, installPackages } from './programs.ts'

/** The Chromium of this machine; null when there is none. */
export const findChromium = (): string | null =>
  findProgram('chromium', '/usr/bin') ?? findProgram('chromium-browser') ?? findProgram('google-chrome')

/** The Chromium that browser tests drive, installed where that is possible; null where it is not. */
export async function ensureChromium(directory: string, reporter: Reporter): Promise<string | null> {
  const found = findChromium()
  if (found !== null || !canInstall()) return found
  const host = createProcessHost(directory)
  try {
    await installPackages(['chromium'], { host, reporter, signal: undefined })
  } catch (error) {
    // No network, or a Debian without it: the tests that need it are skipped, and say so.
    reporter.say(`Chromium could not be installed: ${error instanceof Error ? error.message : String(error)}`)
  }
  return findChromium()
}
