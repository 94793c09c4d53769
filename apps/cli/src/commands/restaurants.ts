import { PutRestaurantLink, Restaurants } from '@platter/contracts'
import { Option, type Command } from 'commander'
import type { Api } from '#/api.ts'
import { apiFor, addCommand, type Shared } from '#/command.ts'
import { EXIT, Failure } from '#/exit.ts'
import { importBundle, type Imported } from '#/import.ts'
import { checkRestaurant } from '#/known-restaurant.ts'
import { printError, printNote, progress, print, printJson, table } from '#/output.ts'
import { readText } from '#/read-text.ts'
import { filesOf, readBundle, type Bundle, type FileFault } from '#/restaurant-files.ts'

export function restaurants(program: Command): void {
  const group = program
    .command('restaurants')
    .description('restaurants, their menus, and how orders reach them')
  list(group)
  importFiles(group)
  link(group)
}

function list(group: Command): void {
  addCommand(group, 'list', { summary: 'list all restaurants', examples: ['restaurants list'] }).action(
    async (options: Shared) => {
      const found = await apiFor(options).all(Restaurants)
      if (options.json) return printJson(found)
      table(
        ['apiKey', 'name', 'where', 'now'],
        found.map((one) => [
          one.apiKey,
          one.isTestRestaurant ? `${one.name} (test)` : one.name,
          `${one.city}, ${one.state}`,
          one.open ? 'open' : `closed: ${one.closedReason ?? 'unknown'}`,
        ]),
      )
    },
  )
}

function importFiles(group: Command): void {
  addCommand(group, 'import <path...>', {
    summary: 'create or replace restaurants, menus and links from files, or from all .json files of folders',
    examples: [
      'restaurants import dev/seed/restaurants --validate-only',
      'restaurants import aurora.json aurora.menu.json',
    ],
  })
    .option('--validate-only', 'validate only, and store nothing')
    .addHelpText(
      'after',
      `
A file is { "restaurant": …, "menu": …, "link": … } as in dev/seed/restaurants, a restaurant's record, or a menu
alone: a list of categories in NAME.menu.json, whose restaurant is in NAME.json, or has the apiKey NAME.
A faulty file does not stop the others; its faults are on standard error, and the exit code is 1.`,
    )
    .action(async (paths: string[], options: Shared & { validateOnly?: boolean }) => {
      const done = await importAll(apiFor(options), filesOf(paths), {
        validateOnly: options.validateOnly === true,
      })
      const faulty = done.filter(({ faults }) => faults.length > 0)
      if (faulty.length > 0) process.exitCode = EXIT.refused
      if (options.json) return printJson(done)
      const verb = options.validateOnly ? 'could be imported' : 'imported'
      print(`${done.length - faulty.length} of ${done.length} files ${verb}.`)
    })
}

/**
 * Unreadable files come first, because a request that fails for another reason ends the import: their faults are printed by then. Menus
 * without a restaurant come last, because their restaurant may be in a later file.
 */
async function importAll(
  api: Api,
  files: readonly string[],
  options: { validateOnly: boolean },
): Promise<Imported[]> {
  const read = files.map(readBundle)
  const unreadable = read.filter((one) => 'pointer' in one)
  const withRestaurant = read.filter((one): one is Bundle => 'restaurant' in one)
  const importedKeys = new Set(withRestaurant.map(({ apiKey }) => apiKey))
  const done: Imported[] = []
  const menus = read.filter((one) => !('pointer' in one || 'restaurant' in one))
  for (const one of [...unreadable, ...withRestaurant, ...menus]) {
    progress(`${done.length + 1} of ${read.length}: ${one.file}`)
    const imported =
      'pointer' in one
        ? { file: one.file, apiKey: '', parts: [], faults: [one] }
        : await importBundle(api, one, { ...options, importedKeys })
    printFaults(imported.faults)
    done.push(imported)
  }
  progress('')
  return done
}

function printFaults(faults: readonly FileFault[]): void {
  const [first] = faults
  if (!first) return
  progress('')
  printError(first.file)
  for (const { pointer, detail } of faults)
    printNote(`  ${pointer === '' ? '(the file)' : pointer}: ${detail}`)
}

type LinkOptions = {
  webhook?: string
  secretFile?: string
  console?: boolean
  reports: string
}

function link(group: Command): void {
  addCommand(group, 'link <apiKey>', {
    summary: 'set how orders reach a restaurant',
    examples: [
      'restaurants link APIKEY --console',
      'restaurants link APIKEY --webhook https://kitchen.example.org/orders --secret-file kitchen.secret',
    ],
  })
    .addOption(
      new Option('--console', 'the restaurant accepts them on its console page').conflicts('webhook'),
    )
    .option('--webhook <url>', 'signed webhooks')
    .option('--secret-file <file>', 'with --webhook: file with the secret (whsec_…)')
    .addOption(
      new Option('--reports <how>', 'the detail of its status reports')
        .choices(['detailed', 'coarse'])
        .default('detailed'),
    )
    .action(async (apiKey: string, options: Shared & LinkOptions) => {
      const body = { ...linkOf(options), reports: options.reports }
      const api = apiFor(options)
      await checkRestaurant(api, apiKey)
      const put = await api.call(PutRestaurantLink, { params: { apiKey }, body })
      if (options.json) return printJson(put)
      print(
        `Orders reach ${apiKey} by ${put.kind}; it reports ${put.reports === 'coarse' ? 'coarsely' : 'in detail'}.`,
      )
    })
}

function linkOf({ webhook, secretFile, console: isConsole }: LinkOptions): object {
  if (isConsole) return { kind: 'console' }
  if (webhook === undefined) throw new Failure(EXIT.usage, 'Give --console or --webhook URL.')
  if (secretFile === undefined) throw new Failure(EXIT.usage, 'A webhook needs --secret-file FILE.')
  return { kind: 'webhook', url: webhook, secret: readText(secretFile).trim() }
}
