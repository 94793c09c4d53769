import type { App } from '@platter/kit'
import { headersOfPage, html } from '#/html.ts'

/** Where a developer continues who has only the address of the platform. */
const start = {
  name: 'Platter',
  applications: '/publicapi/v1',
  restaurants: '/restaurantapi/v1',
  operators: '/operatorapi/v1',
  documentation: '/docs',
  openapi: '/openapi.json',
  console: '/console/',
}

const page = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Platter</title>
      <link rel="icon" href="data:," />
    </head>
    <body>
      <h1>Platter</h1>
      <ul>
        <li>
          <a href="${start.documentation}">Documentation of the API</a>, whose base is
          <code>${start.applications}</code>
        </li>
        <li><a href="${start.openapi}">OpenAPI document</a></li>
        <li><a href="${start.console}">Console for restaurants</a></li>
      </ul>
    </body>
  </html> `.html

const pageHeaders = headersOfPage('img-src data:')

/** What `/` returns: links, for a person or for a program. */
export function startPage(app: App): void {
  app.get('/', async ({ headers }, reply) => {
    void reply.header('vary', 'Accept')
    return headers.accept?.includes('text/html') ? reply.headers(pageHeaders).send(page) : start
  })
}
