import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { createProcessHost } from '../dev/process/host.ts'
import { plainReporter } from '../dev/progress.ts'
import { findServers } from '../dev/servers/find.ts'
import { takeRunDirectory } from '../dev/stack/run-directory.ts'

/** Empty real servers for the stack tests of a run, from the same sources as those of `npm start`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = fileURLToPath(new URL('../.run/test', import.meta.url))
  const reporter = plainReporter((line) => process.stderr.write(`${line}\n`))
  const claim = await takeRunDirectory(directory, { fresh: true, reporter })
  const host = createProcessHost(directory)
  const { postgres, rabbitmq, redis } = await findServers({ directory, host, reporter, fresh: true })
  const { url, urls: users = null } = rabbitmq
  project.provide('servers', { postgres: postgres.url, rabbitmq: url, users, redis: redis.url })
  return async () => {
    host.close()
    await Promise.all([postgres, rabbitmq, redis].map((server) => server.stop()))
    await host.stopAll(10_000)
    claim.release()
  }
}
