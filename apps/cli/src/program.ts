import tab from '@bomb.sh/tab/commander'
import { Command } from 'commander'
import { alerts } from '#/commands/alerts.ts'
import { applications } from '#/commands/applications.ts'
import { attention } from '#/commands/attention.ts'
import { backup, backupIdentity, recovered, restore } from '#/commands/backup.ts'
import { doctor } from '#/commands/doctor.ts'
import { keys } from '#/commands/keys.ts'
import { orders } from '#/commands/orders.ts'
import { reconcile } from '#/commands/reconcile.ts'
import { restaurants } from '#/commands/restaurants.ts'
import { EXIT, Failure } from '#/exit.ts'

const AFTER = `
Platform and operator key: --url and --key-file, else PLATTER_URL and PLATTER_OPERATOR_KEY, else the platform that
"npm start" runs here. A key is never an argument, because all users of the machine can read arguments.

"backup", "restore" and "recovered" are the exception: they connect to PostgreSQL.

Exit codes: 0 success · 1 rejected by the platform, something wrong was found, or the output cannot be written ·
2 wrong usage · 3 the platform is unavailable.

Examples:
  $ npm run platter -- restaurants import dev/seed/restaurants --validate-only
  $ npm run platter -- orders find --phone "(608) 555-0142"
  $ npm run platter -- orders show ORDER
  $ npx platter reconcile --since 24h --json    # npm run prints two more lines, npx none

Completion: "platter completion bash" writes a script for the shell (bash, zsh, fish); see "platter completion --help".
`

const COMPLETION = `
"platter" has to be on the PATH: npm link -w apps/cli puts it there.

Examples:
  $ source <(platter completion bash)                                      # this shell
  $ platter completion zsh > "\${fpath[1]}/_platter"
  $ platter completion fish > ~/.config/fish/completions/platter.fish
`

/** Returns the program with all commands. After wrong usage and after a help text, it throws a CommanderError. */
export function createProgram(): Command {
  const program = new Command('platter')
    .description("The operator's command-line tool of Platter: a thin client of its operator interface.")
    .exitOverride()
    .showHelpAfterError('(--help lists commands and options)')
    .addHelpText('after', AFTER)
  for (const add of [
    applications,
    keys,
    restaurants,
    orders,
    reconcile,
    alerts,
    attention,
    doctor,
    backup,
    backupIdentity,
    restore,
    recovered,
  ])
    add(program)
  for (const command of program.commands)
    command.hook('preAction', (_command, called) => refuseEmptyValues(called))
  // It creates the secrets of an installation, before a platform exists.
  const setup = program.command('setup', { hidden: true }).allowUnknownOption().allowExcessArguments()
  setup.action(() => program.error('Run "npm run setup".'))
  tab(program, { completionCommandName: 'completion' })
  program.commands.find((command) => command.name() === 'completion')?.addHelpText('after', COMPLETION)
  return program
}

/**
 * Throws Failure for an empty argument or option, as of an unset variable of the shell. The platform ignores an empty filter, so
 * `orders find --phone ""` would list all orders; an empty apiKey would lead to the path of a list.
 */
function refuseEmptyValues(command: Command): void {
  for (const [index, argument] of command.registeredArguments.entries())
    if ([command.processedArgs[index]].flat().includes(''))
      throw new Failure(EXIT.usage, `The argument ${argument.name()} is empty.`)
  for (const option of command.options)
    if ([command.getOptionValue(option.attributeName())].flat().includes(''))
      throw new Failure(EXIT.usage, `${option.long} is empty. Give a value, or leave it out.`)
}
