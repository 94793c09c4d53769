import type { KeyMode } from '@platter/contracts'

/** The mode of a key, by its prefix. Live for the configured operator key, whose prefix is unknown. */
export const modeOf = (prefix: string | null): KeyMode =>
  prefix?.startsWith('platter_test_') ? 'test' : 'live'
