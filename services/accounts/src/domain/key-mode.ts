import type { KeyMode } from '@platter/contracts'

/** Of a key that begins so; live for the key that came with the configuration, of which no more is known. */
export const modeOf = (prefix: string | null): KeyMode =>
  prefix?.startsWith('platter_test_') ? 'test' : 'live'
