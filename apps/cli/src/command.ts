import type { Command } from 'commander'
import { apiOf, type Api } from '#/api.ts'
import { findTarget, type TargetOptions } from '#/target.ts'

export type Shared = TargetOptions & { json?: boolean }

/** A command that asks the platform: with the options that all of them have, and examples below its help. */
export function asking(
  parent: Command,
  nameAndArguments: string,
  about: { summary: string; examples: string[] },
): Command {
  return parent
    .command(nameAndArguments)
    .description(about.summary)
    .option('--url <url>', "the platform's address (or PLATTER_URL)")
    .option('--key-file <file>', 'file with an operator access key (or PLATTER_OPERATOR_KEY)')
    .option('--json', 'the answer as JSON, and nothing else, on standard output')
    .addHelpText('after', `\nExamples:\n${about.examples.map((line) => `  $ platter ${line}`).join('\n')}`)
}

/** What a command asks with. */
export const apiFor = (options: Shared): Api => apiOf(findTarget(options))
