import { ReadAttention, RetryAttention } from '@platter/contracts'
import type { Command } from 'commander'
import { Refused, type Api } from '#/api.ts'
import { apiFor, asking, type Shared } from '#/command.ts'
import { EXIT, Failure } from '#/exit.ts'
import { complain, say, sayJson, table, when } from '#/output.ts'

export function attention(program: Command): void {
  const group = program.command('attention').description('what does not go on by itself')

  asking(group, 'list', {
    summary: 'list what needs a person; exit code 1 when there is anything',
    examples: ['attention list', 'attention list --json | jq -r ".[].id"'],
  }).action(async (options: Shared) => {
    const list = await apiFor(options).all(ReadAttention)
    process.exitCode = list.length === 0 ? EXIT.ok : EXIT.refused
    if (options.json) return sayJson(list)
    if (list.length === 0) return say('Nothing needs you.')
    table(
      ['id', 'what', 'since', 'tried', 'reason'],
      list.map((one) => [one.id, `${one.kind}: ${one.what}`, when(one.since), one.count, one.reason]),
    )
  })

  asking(group, 'retry [id]', {
    summary: 'try again: say a message again, wake a saga, ask the payment processor',
    examples: ['attention retry saga_ORDER', 'attention retry --all'],
  })
    .option('--all', 'everything that is listed')
    .action(async (id: string | undefined, options: Shared & { all?: boolean }) => {
      const api = apiFor(options)
      if ((id === undefined) === (options.all !== true))
        throw new Failure(EXIT.usage, 'Retry what? Say one id, or --all.')
      const ids = id === undefined ? (await api.all(ReadAttention)).map((one) => one.id) : [id]
      const done = await retried(api, ids)
      if (options.json) return sayJson(done)
      for (const one of done) say(`${one.id}: ${one.done}`)
    })
}

/** One that is refused does not keep the others; it is told at the end. */
async function retried(api: Api, ids: readonly string[]): Promise<{ id: string; done: string }[]> {
  const done: { id: string; done: string }[] = []
  for (const id of ids) {
    try {
      done.push(await api.call(RetryAttention, { params: { id } }))
    } catch (error) {
      if (!(error instanceof Refused) || ids.length === 1) throw error
      process.exitCode = EXIT.refused
      complain(`${id}: ${error.message}`)
    }
  }
  return done
}
