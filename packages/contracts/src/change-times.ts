/**
 * How long caches delay the effect of a change, in milliseconds. change-times.unit.test.ts holds the sums: two seconds for menus,
 * orders and event streams, one second for requests.
 */
export const changeTimes = {
  /** Interval at which catalog ends expired availability overrides (`repeat`: ±20 %). */
  endedOverrides: 300,
  /** Catalog caches a menu version for this time, from the beginning of its read. */
  menuVersion: 600,
  /** The gateway caches a menu for this time, from the beginning of its request. */
  sharedResponse: 800,
  /** The gateway caches the principal of an access key for this time, from the beginning of its request to accounts. */
  accessKey: 1_000,
  /** The same for the list of imported access keys. */
  importedKeys: 1_000,
  /** Interval at which the gateway checks the access keys of open event streams (`repeat`: ±20 %). */
  streamKeys: 700,
}
