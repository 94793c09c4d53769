import { serviceConfig } from '#/lifecycle/config.ts'
import { createApp } from '#/http/server.ts'
import { run } from '#/lifecycle/service.ts'
import { z } from 'zod'

/* A service with one endpoint, for tests of the behaviour of every service. Tests start it as a process. */

await run('measured', z.object(serviceConfig), (_config, log) => {
  const app = createApp(log)
  app.get('/', async () => ({ fine: true }))
  return { app, checks: {} }
})
