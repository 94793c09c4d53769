import { run } from '@platter/kit'
import { Config } from '#/config.ts'
import { wire } from '#/wire.ts'

await run('catalog', Config, wire)
