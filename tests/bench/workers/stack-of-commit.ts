/**
 * Starts the stack of another commit with the launcher of that commit. `root` is its checked-out tree. The stack ends with this
 * process.
 */
import { join } from 'node:path'
import type * as launcher from '../../../dev/stack.ts'
import type * as progress from '../../../dev/progress.ts'
import type { Environment, ServedStack } from '../platform.ts'
import { serve } from '../../support/worker.ts'

const [root = '', runDirectory = '', replicas = '1', env = '{}'] = process.argv.slice(2)
process.env['PLATTER_SERVERS'] = 'native'
process.chdir(root)

const { startStack } = (await import(join(root, 'dev/stack.ts'))) as typeof launcher
const { plainReporter } = (await import(join(root, 'dev/progress.ts'))) as typeof progress

const stack = await startStack({
  runDirectory,
  replicas: Number(replicas),
  env: JSON.parse(env) as Environment,
  fresh: true,
  reporter: plainReporter(() => undefined),
})
const { gateway, gateways, operatorKey, accessKey, urls, processes } = { ...stack, ...stack.file }
const { postgres, rabbitmq } = urls
const pids = { ...processes, processor: stack.pids('processor') }
const served: ServedStack = { gateway, gateways, operatorKey, accessKey, postgres, rabbitmq, pids }

serve(JSON.stringify(served), async () => {
  await stack.stop()
  return { stopped: true }
})
