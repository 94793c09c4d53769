import type { KeyMode } from '@platter/contracts'

/** Returns the mode of a key by its prefix; live for the configured operator key, whose prefix is unknown. */
export const modeOf = (prefix: string | null): KeyMode =>
  prefix?.startsWith('platter_test_') ? 'test' : 'live'
