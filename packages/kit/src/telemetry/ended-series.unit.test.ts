import { text } from 'node:stream/consumers'
import { startHttpServer } from '@platter/testkit/http-server'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { startMinimalService } from '#/telemetry/testing/start-minimal-service.ts'

const Export = z.object({
  resourceMetrics: z.array(
    z.object({
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(
            z.object({
              name: z.string(),
              gauge: z
                .object({
                  dataPoints: z.array(
                    z.object({
                      attributes: z.array(z.object({ value: z.looseObject({}) })),
                      asDouble: z.number(),
                    }),
                  ),
                })
                .optional(),
            }),
          ),
        }),
      ),
    }),
  ),
})

/** The incidents of one export: their kinds and numbers. */
function incidentsOf(body: string): unknown[] {
  const metrics = Export.parse(JSON.parse(body)).resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap((scope) => scope.metrics),
  )
  const points = metrics.find(({ name }) => name === 'platter.incidents')?.gauge?.dataPoints ?? []
  return points.map(({ attributes, asDouble }) => [attributes[0]?.value['stringValue'], asDouble])
}

test('an incident that has ended is in no later export, so that its alert ends', async () => {
  const exports: unknown[][] = []
  const { port, close } = await startHttpServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/metrics') exports.push(incidentsOf(body))
      response.end('{}')
    })
  })
  onTestFinished(close)
  const { url } = await startMinimalService(port)
  await expect.poll(() => exports.at(-1)).toEqual([['dead-letter', 1]])
  await fetch(`${url}/resolve`)
  await expect.poll(() => exports.at(-1)).toContainEqual(['none', 0])
  expect(exports.at(-1)).toEqual([['none', 0]])
})
