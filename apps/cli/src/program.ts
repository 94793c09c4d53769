import tab from '@bomb.sh/tab/commander'
import { Command } from 'commander'
import { applications } from '#/commands/applications.ts'
import { attention } from '#/commands/attention.ts'
import { keys } from '#/commands/keys.ts'
import { orders } from '#/commands/orders.ts'
import { reconcile } from '#/commands/reconcile.ts'
import { restaurants } from '#/commands/restaurants.ts'

const AFTER = `
Which platform, and as whom: --url and --key-file, else PLATTER_URL and PLATTER_OPERATOR_KEY, else the one that
"npm start" runs here. A key is never an argument, because everybody on the machine can read those.

Exit codes: 0 done · 1 refused, or a mismatch or something that needs you was found · 2 wrong usage ·
3 the platform cannot be reached, or not now.

Examples:
  $ npm run platter -- restaurants import dev/seed/restaurants --validate-only
  $ npm run platter -- orders show ORDER
  $ npx platter reconcile --since 24h --json    # npm run writes two lines of its own, npx none

Completion: "platter completion bash" writes a script for the shell (bash, zsh, fish); see "platter completion --help".
`

const COMPLETION = `
The shell has to find "platter" on its PATH: npm link -w apps/cli puts it there.

Examples:
  $ source <(platter completion bash)                                      # this shell
  $ platter completion zsh > "\${fpath[1]}/_platter"
  $ platter completion fish > ~/.config/fish/completions/platter.fish
`

/** The whole tool; `exit` ends it with a code. */
export function programWith(exit: (code: number) => never): Command {
  const program = new Command('platter')
    .description("The operator's tool of Platter: a thin client of its interface for operators.")
    .exitOverride(({ exitCode }) => exit(exitCode))
    .showHelpAfterError('(add --help for what there is)')
    .addHelpText('after', AFTER)
  for (const add of [applications, keys, restaurants, orders, reconcile, attention]) add(program)
  tab(program, { completionCommandName: 'completion' })
  program.commands.find((command) => command.name() === 'completion')?.addHelpText('after', COMPLETION)
  return program
}
