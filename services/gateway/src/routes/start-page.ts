import type { App } from '@platter/kit'
import { html, PLAIN_PAGE_HEADERS, plainPage } from '#/html.ts'

/** Links for a developer who has only the address of the platform. */
const start = {
  name: 'Platter',
  applications: '/publicapi/v1',
  restaurants: '/restaurantapi/v1',
  operators: '/operatorapi/v1',
  documentation: '/docs',
  openapi: '/openapi.json',
  console: '/console/',
}

const page = plainPage(
  'Platter',
  html`<ul>
    <li>
      <a href="${start.documentation}">Documentation of the API</a>, whose base is
      <code>${start.applications}</code>
    </li>
    <li><a href="${start.openapi}">OpenAPI document</a></li>
    <li><a href="${start.console}">Console for restaurants</a></li>
  </ul>`,
)

/** Registers `/`: links, as a page or as JSON. */
export function startPage(app: App): void {
  app.get('/', async ({ headers }, reply) => {
    void reply.header('vary', 'Accept')
    return headers.accept?.includes('text/html') ? reply.headers(PLAIN_PAGE_HEADERS).send(page) : start
  })
}
