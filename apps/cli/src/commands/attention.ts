import { DiscardAttention, ReadAttention, RetryAttention } from '@platter/contracts'
import type { Command } from 'commander'
import { Rejected, type Api } from '#/api.ts'
import { apiFor, addCommand, type Shared } from '#/command.ts'
import { EXIT, Failure } from '#/exit.ts'
import { printError, print, printJson, table, when } from '#/output.ts'

export function attention(program: Command): void {
  const group = program.command('attention').description('incidents: states that need an operator')

  addCommand(group, 'list', {
    summary: 'list the incidents; exit code 1 when there are any',
    examples: ['attention list', 'attention list --json | jq -r ".[].id"'],
  }).action(async (options: Shared) => {
    const list = await apiFor(options).all(ReadAttention)
    process.exitCode = list.length === 0 ? EXIT.ok : EXIT.refused
    if (options.json) return printJson(list)
    if (list.length === 0) return print('There are no incidents.')
    table(
      ['id', 'what', 'since', 'tried', 'reason'],
      list.map((one) => [one.id, `${one.kind}: ${one.what}`, when(one.since), one.count, one.reason]),
    )
    const sections = [...new Set(list.map(({ kind }) => `docs/operations.md#${kind}`))]
    print()
    print(`Runbook: ${sections.join(', ')}`)
  })

  addCommand(group, 'retry [id]', {
    summary: 'republish a dead letter or the command of a saga, or repeat a reconciliation or an alert',
    examples: ['attention retry saga_ORDER', 'attention retry --all'],
  })
    .option('--all', 'all listed incidents')
    .action(async (id: string | undefined, options: Shared & { all?: boolean }) => {
      const api = apiFor(options)
      if ((id === undefined) === (options.all !== true))
        throw new Failure(EXIT.usage, 'Give one id, or --all.')
      const ids = id === undefined ? (await api.all(ReadAttention)).map((one) => one.id) : [id]
      const done = await retried(api, ids)
      if (options.json) return printJson(done)
      if (ids.length === 0) print('There are no incidents.')
      for (const one of done) print(`${one.id}: ${one.done}`)
    })

  addCommand(group, 'discard <id>', {
    summary: 'delete a dead letter that no version can handle',
    examples: ['attention discard letter_ce348db2e24b'],
  }).action(async (id: string, options: Shared) => {
    const done = await apiFor(options).call(DiscardAttention, { params: { id } })
    if (options.json) return printJson(done)
    print(`${done.id}: ${done.done}`)
  })
}

/** Retries each incident. A rejected retry does not stop the others; it is reported on standard error. */
async function retried(api: Api, ids: readonly string[]): Promise<{ id: string; done: string }[]> {
  const done: { id: string; done: string }[] = []
  for (const id of ids) {
    try {
      done.push(await api.call(RetryAttention, { params: { id } }))
    } catch (error) {
      if (!(error instanceof Rejected) || ids.length === 1) throw error
      process.exitCode = EXIT.refused
      printError(`${id}: ${error.message}`)
    }
  }
  return done
}
