/**
 * How long a change may stay unnoticed where it has to be felt, in milliseconds. change-times.unit.test.ts adds the parts up:
 * two seconds for menus, orders and event streams, one second for requests.
 */
export const changeTimes = {
  /** Catalog ends availability overrides that have expired this often (`repeat`: ±20 %). */
  endedOverrides: 300,
  /** Catalog uses a menu version that it has read for so long, counted from before it read it. */
  menuVersion: 600,
  /** The gateway answers a menu from memory for so long, counted from before it requested it. */
  sharedResponse: 800,
  /** The gateway uses what it knows of an access key for so long, counted from before it asked accounts. */
  accessKey: 1_000,
  /** The same for the list of imported access keys. */
  importedKeys: 1_000,
  /** The gateway checks the access keys of open event streams this often (`repeat`: ±20 %). */
  streamKeys: 700,
}
