/* A worker: browsers slow down the timers of a hidden page to one call per minute, but not the timers of its workers. */

const TICK_MS = 1_000

// eslint-disable-next-line unicorn/require-post-message-target-origin -- a worker's postMessage takes none
setInterval(() => globalThis.postMessage(null), TICK_MS)
