import { serviceConfig } from '#/lifecycle/config.ts'
import { createApp } from '#/http/server.ts'
import { run } from '#/lifecycle/service.ts'
import { observe } from '#/telemetry/metrics.ts'
import { z } from 'zod'

/*
 * A service with one open incident, which a request to /resolve ends, for tests of the behaviour of every service. Tests start it as
 * a process.
 */

await run('measured', z.object(serviceConfig), (_config, log) => {
  const open = [{ kind: 'dead-letter', count: 1 }]
  observe(['platter.incidents'], (report) => {
    for (const { kind, count } of open) report('platter.incidents', count, { 'platter.incident.kind': kind })
  })
  const app = createApp(log)
  app.get('/', async () => ({ fine: true }))
  app.get('/resolve', async () => ({ resolved: open.splice(0, 1, { kind: 'none', count: 0 }).length }))
  return { app, checks: {} }
})
