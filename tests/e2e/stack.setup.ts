import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { plainReporter } from '../../dev/progress.ts'
import { startStack } from '../../dev/stack.ts'

/** The times that a person would wait for are short here; everything else is as `npm start` has it. */
const orders = {
  SIMULATOR_STEP_MS: '300',
  SIMULATOR_SLOW_MS: '6000',
  ANSWER_WITHIN_MS: '4000',
  TRANSMIT_DEADLINE_MS: '1000',
}

/** All tests come from one address. Those of the limit use up an e-mail's tries. */
const accounts = { TRIES_PER_ADDRESS: '1000000' }

/** All tests share their access keys. Those of bad ones say that they come from elsewhere, and are believed. */
const gateway = { RATE_LIMIT_REQUESTS: '1000000', TRUSTED_PROXIES: '127.0.0.1' }

/** One fresh stack for all end-to-end tests: real servers, every service twice, the development seed. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack({
    runDirectory: fileURLToPath(new URL('../../.run/e2e', import.meta.url)),
    reporter: plainReporter((line) => process.stderr.write(`${line}\n`)),
    replicas: 2,
    fresh: true,
    env: { orders, accounts, gateway },
  })
  project.provide('stack', stack.file)
  return () => stack.stop()
}
