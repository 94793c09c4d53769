import { startContainersOfRun } from './containers-of-run.ts'
import { startKeptContainers } from './kept-containers.ts'
import { NoEngine, type ServerSource } from './types.ts'

/** Servers in containers. A fresh run has its own containers, which always end with it. */
export const docker: ServerSource = (wanted, context) =>
  context.fresh === true ? startContainersOfRun(wanted, context) : startKeptContainers(wanted, context)

/** Like `docker` if Docker works. Otherwise it reports the reason and supplies no server. */
export const dockerIfAvailable: ServerSource = async (wanted, context) => {
  try {
    return await docker(wanted, context)
  } catch (error) {
    context.signal?.throwIfAborted()
    if (!(error instanceof NoEngine))
      context.reporter.print(
        `Docker cannot be used (${lastLine(error)}); the servers run as processes instead`,
      )
    return []
  }
}

/** The last line of a failed program's output has the reason. */
function lastLine(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).trim().split('\n')
  return lines.at(-1)?.trim().slice(0, 200) ?? ''
}
