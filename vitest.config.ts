import { defineConfig } from 'vitest/config'

/**
 * For a machine that is five times as slow and stands still for 3 s now and then. How fast something has to be is held by
 * tests whose clock the test moves, or by a ratio of two measurements of the same run. The slowest tests (axe, Redocly) took up
 * to 41 s beside other work.
 */
const PATIENT = { expect: { poll: { timeout: 30_000 } }, testTimeout: 120_000, hookTimeout: 120_000 }

/** The next file of a worker finds the modules of the last, which saves half of the work. No test may leave one changed. */
const SHARED = {
  isolate: false,
  unstubEnvs: true,
  maxWorkers: 2,
  setupFiles: ['tests/support/fixed-seed.ts'],
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
          ...PATIENT,
          ...SHARED,
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
          globalSetup: 'tests/servers.setup.ts',
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
          // What goes wrong there are signals to the servers' processes and removed files of theirs.
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
