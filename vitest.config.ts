import { defineConfig } from 'vitest/config'

/**
 * For a machine that is five times slower and stands still for 3 s now and then. Tests prove durations with an injected clock, or
 * by the ratio of two measurements of one run. The slowest tests (axe, Redocly) took up to 41 s beside other work.
 */
const PATIENT = {
  expect: { poll: { timeout: 30_000 } },
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // An error shows whole values: the violation of a chaos run that failed once is often its only evidence.
  chaiConfig: { truncateThreshold: 0 },
}

/** The files of a worker share their modules, which saves half of the work. No test may leave a module changed. */
const SHARED = {
  isolate: false,
  unstubEnvs: true,
  maxWorkers: 2,
  setupFiles: ['tests/support/fixed-seed.ts'],
}

/**
 * Workers of the end-to-end and browser tests; vitest needs the same number for both projects of a group. Two more than there are
 * cores, because the tests mostly wait: 90 s instead of 104 s with three.
 */
const WORKERS_OF_STACK = 4

// groupOrder: one group after the other, so that slow projects do not compete with the rest for the cores.
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
          name: 'policy',
          include: ['tests/policy/**/*.test.ts', 'tests/simulation/simulation.test.ts'],
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
          setupFiles: [...SHARED.setupFiles, 'tests/support/patient-postgres.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...PATIENT,
          ...SHARED,
          maxWorkers: WORKERS_OF_STACK,
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: 'tests/e2e/stack.setup.ts',
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...PATIENT,
          ...SHARED,
          name: 'browser',
          include: ['tests/browser/**/*.test.ts'],
          globalSetup: 'tests/browser/browser.setup.ts',
          // In the group of the end-to-end tests, whose stack it shares.
          maxWorkers: WORKERS_OF_STACK,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'chaos',
          include: ['tests/chaos/outages.test.ts'],
          // The faults are signals to the servers' processes, and removed files.
          env: { PLATTER_SERVERS: 'native' },
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'lossy',
          include: ['tests/chaos/lossy.test.ts'],
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'canary',
          include: ['tests/canary/canary.test.ts'],
          // It searches the servers' files.
          env: { PLATTER_SERVERS: 'native' },
          sequence: { groupOrder: 7 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'rolling',
          include: [
            'tests/rolling/**/*.test.ts',
            'tests/backup/**/*.test.ts',
            'tests/topology/topology.test.ts',
          ],
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'cluster',
          include: ['tests/cluster/cluster.test.ts'],
          // The nodes are processes, with definitions of their own.
          env: { PLATTER_SERVERS: 'native' },
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          name: 'go-live',
          taskTitleValueFormatTruncate: 0,
          include: ['tests/go-live/*.test.ts'],
          // A command of Docker takes up to 20 minutes, and a situation has several.
          testTimeout: 3_600_000,
          hookTimeout: 3_600_000,
          fileParallelism: false,
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          ...PATIENT,
          name: 'overload',
          include: ['tests/overload/*.test.ts'],
          testTimeout: 1_800_000,
          sequence: { groupOrder: 6 },
        },
      },
      {
        // Each test kills in turn, and recovers beside the others.
        test: {
          ...PATIENT,
          // The titles are the names of the points, in full.
          taskTitleValueFormatTruncate: 0,
          name: 'crash',
          include: ['tests/crash-points/**/*.test.ts'],
          maxConcurrency: 200,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
