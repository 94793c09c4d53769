import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { observe } from '#/telemetry/metrics.ts'

/** The resolution of the event loop delay, which a native timer of Node measures. */
const RESOLUTION_MS = 20

/** Registers gauges of the process, which are read at each export. */
export function observeRuntime(): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  let before = performance.eventLoopUtilization()
  observe(
    [
      'nodejs.eventloop.delay.p99',
      'nodejs.eventloop.utilization',
      'v8js.memory.heap.used',
      'v8js.memory.heap.limit',
      'process.memory.usage',
    ],
    (report) => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      // The measured delay includes the timer's resolution. Without a sample the percentile is NaN.
      const p99 = Math.max(0, (delay.percentile(99) || 0) / 1e9 - RESOLUTION_MS / 1_000)
      delay.reset()
      const heap = getHeapStatistics()
      report('nodejs.eventloop.delay.p99', p99)
      report('nodejs.eventloop.utilization', utilization)
      report('v8js.memory.heap.used', heap.used_heap_size)
      report('v8js.memory.heap.limit', heap.heap_size_limit)
      report('process.memory.usage', process.memoryUsage.rss())
    },
  )
}
