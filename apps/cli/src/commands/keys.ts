import {
  ApplicationAccessKeys,
  IssueAccessKey,
  IssueOperatorAccessKey,
  IssueRestaurantAccessKey,
  OperatorAccessKeys,
  RestaurantAccessKeys,
  RevokeAccessKey,
  RotateAccessKey,
  type AccessKey,
} from '@platter/contracts'
import { text as textOf } from 'node:stream/consumers'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { apiFor, asking, type Shared } from '#/command.ts'
import { EXIT, Failure } from '#/exit.ts'
import { note, say, sayJson, table, when } from '#/output.ts'

type Holder = { application?: string; restaurant?: string; operator?: boolean }

const HOLDERS: (keyof Holder)[] = ['application', 'restaurant', 'operator']

const others = (name: keyof Holder): string[] => HOLDERS.filter((one) => one !== name)

const withHolder = (command: Command): Command =>
  command
    .addOption(new Option('--application <id>', 'of a client application').conflicts(others('application')))
    .addOption(new Option('--restaurant <apiKey>', 'of a restaurant').conflicts(others('restaurant')))
    .addOption(new Option('--operator', 'of operators').conflicts(others('operator')))

/** The operation for whoever was named, with what stands in its path. */
function forHolder<A, R, O>(holder: Holder, operations: { application: A; restaurant: R; operator: O }) {
  if (holder.application !== undefined)
    return { operation: operations.application, params: { id: holder.application } }
  if (holder.restaurant !== undefined)
    return { operation: operations.restaurant, params: { apiKey: holder.restaurant } }
  if (holder.operator) return { operation: operations.operator, params: {} }
  throw new Failure(EXIT.usage, 'Whose keys? Say --application ID, --restaurant APIKEY or --operator.')
}

export function keys(program: Command): void {
  const group = program.command('keys').description('access keys of applications, restaurants and operators')
  issue(group)
  importKey(group)
  list(group)
  rotate(group)
  revoke(group)
}

/** The key on standard output by itself, so that it can be piped to where it is kept. */
function showOnce(issued: { id: string; accessKey: string }): void {
  note(`Key ${issued.id}. It is shown this once:`)
  say(issued.accessKey)
}

function issue(group: Command): void {
  const command = asking(group, 'issue', {
    summary: 'issue an access key; it is shown once',
    examples: [
      'keys issue --application ID > application.key',
      'keys issue --restaurant APIKEY --mode test',
      'keys issue --operator --json',
    ],
  })
  withHolder(command)
    .addOption(new Option('--mode <mode>', 'what it begins with').choices(['live', 'test']).default('live'))
    .action(async (options: Shared & Holder & { mode: string }) => {
      const { operation, params } = forHolder(options, {
        application: IssueAccessKey,
        restaurant: IssueRestaurantAccessKey,
        operator: IssueOperatorAccessKey,
      })
      const issued = await apiFor(options).call(operation, { params, body: { mode: options.mode } })
      if (options.json) return sayJson(issued)
      showOnce(issued)
    })
}

function importKey(group: Command): void {
  asking(group, 'import', {
    summary: 'import an access key that an application has already, from standard input',
    examples: ['keys import --application ID < old.key'],
  })
    .requiredOption('--application <id>', 'the client application that it is of')
    .action(async (options: Shared & { application: string }) => {
      // Not an argument: those are in the shell's history, and in the list of processes.
      const key = (await textOf(process.stdin)).trim()
      const { accessKey: _shown, ...issued } = await apiFor(options).call(IssueAccessKey, {
        params: { id: options.application },
        body: { key },
      })
      if (options.json) return sayJson(issued)
      say(`Key ${issued.id} (${issued.prefix}…) is imported.`)
    })
}

function list(group: Command): void {
  const command = asking(group, 'list', {
    summary: 'list access keys: how they begin, when they were used, when they end',
    examples: ['keys list --application ID', 'keys list --operator'],
  })
  withHolder(command).action(async (options: Shared & Holder) => {
    const { operation, params } = forHolder(options, {
      application: ApplicationAccessKeys,
      restaurant: RestaurantAccessKeys,
      operator: OperatorAccessKeys,
    })
    const found = await apiFor(options).all(operation, { params })
    if (options.json) return sayJson(found)
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

const minutes = (text: string): number => {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('a whole number of minutes is needed.')
  return Number(text)
}

function rotate(group: Command): void {
  asking(group, 'rotate <id>', {
    summary: 'replace an access key: a new one, shown once; the old one goes on for a while',
    examples: ['keys rotate ID > new.key', 'keys rotate ID --overlap 0   # the old one ends at once'],
  })
    .option('--overlap <minutes>', 'how long the old one goes on', minutes, 1_440)
    .action(async (id: string, options: Shared & { overlap: number }) => {
      const body = { overlapMinutes: options.overlap }
      const issued = await apiFor(options).call(RotateAccessKey, { params: { id }, body })
      if (options.json) return sayJson(issued)
      note(`The old key ${id} ends ${when(issued.replaces.expires) ?? ''}.`)
      showOnce(issued)
    })
}

function revoke(group: Command): void {
  asking(group, 'revoke <id>', {
    summary: 'end an access key: within a second it lets nobody in',
    examples: ['keys revoke ID'],
  }).action(async (id: string, options: Shared) => {
    const key = await apiFor(options).call(RevokeAccessKey, { params: { id } })
    if (options.json) return sayJson(key)
    say(`Key ${key.id} (${key.prefix ?? 'configured'}…) is revoked.`)
  })
}
