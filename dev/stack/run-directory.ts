import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { claimDirectory, type Claim } from '../process/claim.ts'
import { readIfPresent } from '../process/identity.ts'
import { endLeftovers, readRecord, recordedLauncher } from '../process/record.ts'
import type { Reporter } from '../progress.ts'
import { removeKeptContainers } from '../servers/kept-containers.ts'
import { outsidePlace } from '../servers/postgres-place.ts'

/** Claims a run directory: ends the processes of a killed launcher, and empties the directory if `fresh`. */
export async function takeRunDirectory(
  directory: string,
  options: { fresh: boolean; reporter: Reporter },
): Promise<Claim> {
  mkdirSync(directory, { recursive: true })
  const claim = await claimDirectory(directory)
  if (claim === null) throw new Error(whoRuns(directory))
  const left = await endLeftovers(directory)
  if (left.length > 0) options.reporter.print(`Stopped processes of an earlier start: ${left.join(', ')}`)
  if (options.fresh) empty(directory)
  rmSync(stackFile(directory), { force: true })
  return claim
}

/**
 * Throws if another user has started the stack of a run directory. Started by root, for example, it would make the data folder of
 * PostgreSQL unreadable for both.
 */
export function refuseOtherUser(directory: string): void {
  const owner = statSync(join(directory, 'pids.json'), { throwIfNoEntry: false })?.uid
  if (owner === undefined || owner === process.getuid?.()) return
  throw new Error(
    `The data in ${directory} belong to another user (id ${owner}). Run the command as that user, or delete the data as root: "npm run reset".`,
  )
}

/** Deletes a run directory with all its data, unless a stack runs in it or in a folder of it. */
export async function removeRunDirectory(directory: string, reporter: Reporter): Promise<void> {
  const folders = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  // The outer directory comes last: its deletion includes the others, which must be found before.
  const stacks = [...folders.map(({ name }) => join(directory, name)), directory].filter(readRecord)
  const claims: Claim[] = []
  for (const stack of stacks) claims.push(await takeRunDirectory(stack, { fresh: false, reporter }))
  for (const stack of stacks) await removeKeptContainers(stack, reporter)
  for (const stack of stacks) empty(stack)
  rmSync(directory, { recursive: true, force: true })
  for (const claim of claims) claim.release()
}

/** The file with the addresses and keys of a stack, for tools. */
export const stackFile = (directory: string): string => join(directory, 'stack.json')

function empty(directory: string): void {
  rmSync(outsidePlace(directory), { recursive: true, force: true })
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true, force: true })
}

function whoRuns(directory: string): string {
  const launcher = recordedLauncher(readRecord(directory))
  const text = readIfPresent(stackFile(directory))
  const process = launcher === null ? '' : ` (process ${launcher.pid})`
  if (text === null) return `Platter is starting or stopping in ${directory}${process}.`
  const { gateway } = JSON.parse(text) as { gateway: string }
  return `Platter is already running: ${gateway}${process}. Stop it with Ctrl-C in its shell first.`
}
