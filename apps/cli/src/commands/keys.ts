import {
  ApplicationAccessKeys,
  IssueAccessKey,
  IssueOperatorAccessKey,
  IssueRestaurantAccessKey,
  MAX_OVERLAP_MINUTES,
  OperatorAccessKeys,
  RestaurantAccessKeys,
  RevokeAccessKey,
  RotateAccessKey,
  type AccessKey,
} from '@platter/contracts'
import { text as textOf } from 'node:stream/consumers'
import { Option, type Command } from 'commander'
import { apiFor, addCommand, type Shared } from '#/command.ts'
import { EXIT, Failure } from '#/exit.ts'
import { checkRestaurant } from '#/known-restaurant.ts'
import { printNote, print, printJson, table, when } from '#/output.ts'
import { whole } from '#/parsers.ts'

type Holder = { application?: string; restaurant?: string; operator?: boolean }

const withHolder = (command: Command): Command =>
  command
    .addOption(
      new Option('--application <id>', 'of a client application').conflicts(['restaurant', 'operator']),
    )
    .addOption(new Option('--restaurant <apiKey>', 'of a restaurant').conflicts('operator'))
    .option('--operator', 'of operators')

/** Returns the operation for the holder in the options, and the parameters of its path. */
function forHolder<A, R, O>(holder: Holder, operations: { application: A; restaurant: R; operator: O }) {
  if (holder.application !== undefined)
    return { operation: operations.application, params: { id: holder.application } }
  if (holder.restaurant !== undefined)
    return { operation: operations.restaurant, params: { apiKey: holder.restaurant } }
  if (holder.operator) return { operation: operations.operator, params: {} }
  throw new Failure(EXIT.usage, 'Give the holder: --application ID, --restaurant APIKEY or --operator.')
}

export function keys(program: Command): void {
  const group = program.command('keys').description('access keys of applications, restaurants and operators')
  issue(group)
  importKey(group)
  list(group)
  rotate(group)
  revoke(group)
}

/** Prints only the key on standard output, so that it can be piped. */
function showOnce(issued: { id: string; accessKey: string }): void {
  printNote(`Key ${issued.id}. It is shown only once:`)
  print(issued.accessKey)
}

function issue(group: Command): void {
  const command = addCommand(group, 'issue', {
    summary: 'issue an access key; it is shown once',
    examples: [
      'keys issue --application ID > application.key',
      'keys issue --application ID --mode test',
      'keys issue --restaurant APIKEY > restaurant.key',
      'keys issue --operator --json',
    ],
  })
  withHolder(command)
    .addOption(
      new Option(
        '--mode <mode>',
        'the mode of the key, part of its prefix: an application with a test key only places test orders',
      )
        .choices(['live', 'test'])
        .default('live'),
    )
    .action(async (options: Shared & Holder & { mode: string }) => {
      const { operation, params } = forHolder(options, {
        application: IssueAccessKey,
        restaurant: IssueRestaurantAccessKey,
        operator: IssueOperatorAccessKey,
      })
      const api = apiFor(options)
      if (options.restaurant !== undefined) await checkRestaurant(api, options.restaurant)
      const issued = await api.call(operation, { params, body: { mode: options.mode } })
      if (options.json) return printJson(issued)
      showOnce(issued)
    })
}

/**
 * Returns the key in a text. An empty `key` means the same as none to the platform: it would issue a new key, which this command
 * does not show, and the old one would stay invalid.
 */
export function keyIn(text: string): string {
  const key = text.trim()
  if (key === '') throw new Failure(EXIT.usage, 'Standard input contains no key.')
  return key
}

function importKey(group: Command): void {
  addCommand(group, 'import', {
    summary: 'import an existing access key of an application, from standard input',
    examples: ['keys import --application ID < old.key'],
  })
    .requiredOption('--application <id>', 'the client application that owns it')
    .action(async (options: Shared & { application: string }) => {
      // Not an argument, because arguments are visible in the shell's history and in the process list.
      const key = keyIn(await textOf(process.stdin))
      const { accessKey: _shown, ...issued } = await apiFor(options).call(IssueAccessKey, {
        params: { id: options.application },
        body: { key },
      })
      if (options.json) return printJson(issued)
      print(`Key ${issued.id} (${issued.prefix}…) is imported.`)
    })
}

function list(group: Command): void {
  const command = addCommand(group, 'list', {
    summary: 'list access keys: prefix, last use, end',
    examples: ['keys list --application ID', 'keys list --operator'],
  })
  withHolder(command).action(async (options: Shared & Holder) => {
    const { operation, params } = forHolder(options, {
      application: ApplicationAccessKeys,
      restaurant: RestaurantAccessKeys,
      operator: OperatorAccessKeys,
    })
    const api = apiFor(options)
    if (options.restaurant !== undefined) await checkRestaurant(api, options.restaurant)
    const found = await api.all(operation, { params })
    if (options.json) return printJson(found)
    if (found.length === 0) return print('There are no access keys.')
    table(
      ['id', 'begins with', 'made by', 'created', 'last used', 'ends'],
      found.map((key) => [
        key.id,
        key.prefix,
        key.imported ? 'imported' : 'platter',
        when(key.created),
        when(key.lastUsed),
        endOf(key),
      ]),
    )
  })
}

function endOf({ revoked, expires }: AccessKey): string | null {
  if (revoked !== null) return `revoked ${when(revoked)}`
  return when(expires)
}

function rotate(group: Command): void {
  addCommand(group, 'rotate <id>', {
    summary: 'replace an access key: the new one is shown once, the old one stays valid for the overlap',
    examples: ['keys rotate ID > new.key', 'keys rotate ID --overlap 0   # the old one ends at once'],
  })
    .option('--overlap <minutes>', 'how long the old key stays valid', whole(0, MAX_OVERLAP_MINUTES), 1_440)
    .action(async (id: string, options: Shared & { overlap: number }) => {
      const body = { overlapMinutes: options.overlap }
      const issued = await apiFor(options).call(RotateAccessKey, { params: { id }, body })
      if (options.json) return printJson(issued)
      printNote(`The old key ${id} ends ${when(issued.replaces.expires) ?? ''}.`)
      showOnce(issued)
    })
}

function revoke(group: Command): void {
  addCommand(group, 'revoke <id>', {
    summary: 'revoke an access key: it is rejected within a second',
    examples: ['keys revoke ID'],
  }).action(async (id: string, options: Shared) => {
    const key = await apiFor(options).call(RevokeAccessKey, { params: { id } })
    if (options.json) return printJson(key)
    print(`Key ${key.id} (${key.prefix ?? 'configured'}…) is revoked.`)
  })
}
