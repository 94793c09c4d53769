import { TestAlert } from '@platter/contracts'
import type { Command } from 'commander'
import { apiFor, addCommand, type Shared } from '#/command.ts'
import { EXIT } from '#/exit.ts'
import { print, printJson, style } from '#/output.ts'

const NO_CHANNEL =
  'No channel is configured. Set ALERT_WEBHOOK_URL or ALERT_SMTP_URL of orders: docs/deployment.md.'

export function alerts(program: Command): void {
  const group = program.command('alerts').description('messages to the operator when incidents begin and end')

  addCommand(group, 'test', {
    summary: 'send a test alert through every channel; exit code 1 unless all receivers confirm it',
    examples: ['alerts test', 'alerts test --json'],
  }).action(async (options: Shared) => {
    const result = await apiFor(options).call(TestAlert)
    const { channels } = result
    process.exitCode = channels.length > 0 && channels.every((one) => one.delivered) ? EXIT.ok : EXIT.refused
    if (options.json) return printJson(result)
    if (channels.length === 0) return print(NO_CHANNEL)
    for (const { channel, delivered, reason } of channels)
      if (delivered) print(`${channel}: `, style('green', 'delivered'))
      else print(`${channel}: `, style('red', `not delivered: ${reason ?? ''}`))
  })
}
