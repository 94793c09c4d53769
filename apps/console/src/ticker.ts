/* A worker: browsers slow the timers of a hidden page down to one a minute, but not those of its workers. */

const TICK_MS = 1_000

// eslint-disable-next-line unicorn/require-post-message-target-origin -- a worker's postMessage takes none
setInterval(() => globalThis.postMessage(null), TICK_MS)
