/**
 * The delays in milliseconds that caches add to a change. change-times.unit.test.ts checks their sums: two seconds for menus,
 * orders and event streams, one second for requests.
 */
export const changeTimes = {
  /** Interval at which catalog ends expired availability overrides (`repeat`: ±20 %). */
  endedOverrides: 300,
  /** TTL of a menu version in catalog, from the beginning of its read. */
  menuVersion: 600,
  /** TTL of a menu in the gateway, from the beginning of its request. */
  sharedResponse: 800,
  /** TTL of an access key's principal, or of its absence, in the gateway, from the beginning of its request to accounts. */
  accessKey: 1_000,
  /** Interval at which the gateway checks the access keys of open event streams (`repeat`: ±20 %). */
  streamKeys: 700,
}
