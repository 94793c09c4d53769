import { run } from '@platter/kit'
import { Config } from './config.ts'
import { wire } from './wire.ts'

await run('processor', Config, (config, log) => wire(config, log))
