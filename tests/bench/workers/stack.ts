/**
 * Starts a stack with the launcher of a tree: the working tree, or a checked-out commit. The stack ends with this process, or with
 * the first job. So every stack has the same launcher process and environment.
 */
import { join } from 'node:path'
import type * as launcher from '../../../dev/stack.ts'
import type * as progress from '../../../dev/progress.ts'
import type { Launch, ServedStack } from '../platform.ts'
import { serve } from '../../support/worker.ts'

const { tree, ...options } = JSON.parse(process.argv[2] ?? '{}') as Launch
// The bench reads the CPU of processes of this machine.
process.env['PLATTER_SERVERS'] = 'native'
process.chdir(tree)

const { startStack } = (await import(join(tree, 'dev/stack.ts'))) as typeof launcher
const { plainReporter } = (await import(join(tree, 'dev/progress.ts'))) as typeof progress

const stack = await startStack({ ...options, fresh: true, reporter: plainReporter(() => undefined) })
const { gateway, gateways, operatorKey, accessKey, urls, processes } = { ...stack, ...stack.file }
const { postgres, rabbitmq } = urls
const pids = { ...processes, processor: stack.pids('processor') }
const served: ServedStack = { gateway, gateways, operatorKey, accessKey, postgres, rabbitmq, pids }

serve(JSON.stringify(served), () => stack.stop().then(() => ({ stopped: true })))
