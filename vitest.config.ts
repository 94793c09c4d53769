import { defineConfig } from 'vitest/config'

/** What is waited for comes at once, or later where other tests have the cores: a second is not enough for CI. */
const POLL = { expect: { poll: { timeout: 10_000 } } }

/** Tests against real servers wait for processes to start and to fail; 5 s is not enough on a loaded machine. */
const PATIENT = { ...POLL, testTimeout: 60_000, hookTimeout: 60_000 }

/** The next file of a worker finds the modules of the last, which saves half of the work. No test may leave one changed. */
const SHARED = {
  isolate: false,
  unstubEnvs: true,
  maxWorkers: 2,
  setupFiles: ['tests/fixed-seed.ts'],
}

// groupOrder: one group after the other, so that the slow projects do not fight for the cores with the rest.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'apps/*/src/**/*.unit.test.ts',
            'packages/*/src/**/*.unit.test.ts',
            'services/*/src/**/*.unit.test.ts',
            'dev/**/*.unit.test.ts',
            'tests/**/*.unit.test.ts',
          ],
          ...POLL,
          ...SHARED,
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...PATIENT,
          ...SHARED,
          name: 'law',
          include: ['tests/law/**/*.test.ts', 'tests/simulation/simulation.test.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...PATIENT,
          ...SHARED,
          name: 'stack',
          include: [
            'packages/**/*.stack.test.ts',
            'services/**/*.stack.test.ts',
            'tests/simulation/**/*.stack.test.ts',
            'tests/deploy/**/*.stack.test.ts',
            'tests/plans/**/*.stack.test.ts',
          ],
          globalSetup: 'packages/testkit/src/servers.setup.ts',
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...PATIENT,
          ...SHARED,
          // The third worker has the browser tests, which mostly wait.
          maxWorkers: 3,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: 'tests/e2e/stack.setup.ts',
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          globalSetup: 'tests/browser/browser.setup.ts',
          // Beside the end-to-end tests, whose stack it shares: vitest wants the same number of workers for both.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'chaos',
          include: ['tests/chaos/**/*.test.ts'],
          // What goes wrong there are signals to the servers' processes and files of theirs that are gone.
          env: { PLATTER_SERVERS: 'native' },
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'canary',
          include: ['tests/canary/canary.test.ts'],
          // What is searched are the servers' own files.
          env: { PLATTER_SERVERS: 'native' },
          sequence: { groupOrder: 7 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'rolling',
          include: ['tests/rolling/**/*.test.ts'],
          sequence: { groupOrder: 5 },
        },
      },
      {
        // Tests that are killed in turn and wait side by side.
        test: {
          ...PATIENT,
          name: 'crash',
          include: ['tests/crash-points/**/*.test.ts'],
          maxConcurrency: 200,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
