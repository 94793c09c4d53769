import type { Command } from 'commander'
import { apiOf, type Api } from '#/api.ts'
import { findTarget, type TargetOptions } from '#/target.ts'

export type Shared = TargetOptions & { json?: boolean }

/** Adds a command that calls the platform, with the common options, and with examples below its help. */
export function addCommand(
  parent: Command,
  nameAndArguments: string,
  about: { summary: string; examples: string[] },
): Command {
  return parent
    .command(nameAndArguments)
    .description(about.summary)
    .option('--url <url>', "the platform's address (or PLATTER_URL)")
    .option('--key-file <file>', 'file with an operator access key (or PLATTER_OPERATOR_KEY)')
    .option('--json', 'only the response, as JSON, on standard output')
    .addHelpText('after', `\nExamples:\n${about.examples.map((line) => `  $ platter ${line}`).join('\n')}`)
}

/** Returns the client of a command, from its options. */
export const apiFor = (options: Shared): Api => apiOf(findTarget(options))
