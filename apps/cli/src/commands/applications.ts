import { Applications, CreateApplication } from '@platter/contracts'
import type { Command } from 'commander'
import { apiFor, addCommand, type Shared } from '#/command.ts'
import { print, printJson, table, when } from '#/output.ts'

export function applications(program: Command): void {
  const group = program
    .command('applications')
    .description('client applications: the owners of users, orders and access keys')

  addCommand(group, 'create <name>', {
    summary: 'create a client application',
    examples: ['applications create "Lunch for teams"', 'keys issue --application ID'],
  }).action(async (name: string, options: Shared) => {
    const made = await apiFor(options).call(CreateApplication, { body: { name } })
    if (options.json) return printJson(made)
    print(`${made.name} is application ${made.id}`)
  })

  addCommand(group, 'list', {
    summary: 'list the client applications',
    examples: ['applications list --json'],
  }).action(async (options: Shared) => {
    const list = await apiFor(options).all(Applications)
    if (options.json) return printJson(list)
    table(
      ['id', 'name', 'created'],
      list.map(({ id, name, created }) => [id, name, when(created)]),
    )
  })
}
