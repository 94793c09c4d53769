import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { EXIT, Failure } from '#/exit.ts'

/** In a clone of the repository the script is here. The jobs of Compose contain it without this tool. */
const SCRIPT = join(import.meta.dirname, '../../../../dev/compose/setup.ts')

export function setup(program: Command): void {
  program
    .command('setup [options...]')
    .description('write the .env of docker-compose.production.yml, with generated secrets')
    .helpOption(false)
    .allowUnknownOption()
    .action((_given: string[], _options: object, command: Command) => {
      if (!existsSync(SCRIPT))
        throw new Failure(EXIT.usage, 'Run: docker compose -f docker-compose.production.yml run --rm setup')
      const { status } = spawnSync(process.execPath, [SCRIPT, ...command.args], { stdio: 'inherit' })
      process.exitCode = status ?? EXIT.refused
    })
}
