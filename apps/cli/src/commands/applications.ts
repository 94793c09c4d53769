import { Applications, CreateApplication } from '@platter/contracts'
import type { Command } from 'commander'
import { apiFor, asking, type Shared } from '#/command.ts'
import { say, sayJson, table, when } from '#/output.ts'

export function applications(program: Command): void {
  const group = program
    .command('applications')
    .description('client applications: whom users, orders and keys belong to')

  asking(group, 'create <name>', {
    summary: 'create a client application',
    examples: ['applications create "Lunch for teams"', 'keys issue --application ID'],
  }).action(async (name: string, options: Shared) => {
    const made = await apiFor(options).call(CreateApplication, { body: { name } })
    if (options.json) return sayJson(made)
    say(`${made.name} is application ${made.id}`)
  })

  asking(group, 'list', {
    summary: 'list the client applications',
    examples: ['applications list --json'],
  }).action(async (options: Shared) => {
    const list = await apiFor(options).all(Applications)
    if (options.json) return sayJson(list)
    table(
      ['id', 'name', 'created'],
      list.map(({ id, name, created }) => [id, name, when(created)]),
    )
  })
}
