import { problems } from '@platter/contracts'
import type { z } from 'zod'
import { Config as Accounts } from '../../services/accounts/src/config.ts'
import { Config as Catalog } from '../../services/catalog/src/config.ts'
import { Config as Gateway } from '../../services/gateway/src/config.ts'
import { openApiDocument } from './openapi/document.ts'
import { Config as Orders } from '../../services/orders/src/config.ts'
import { Config as Payments } from '../../services/payments/src/config.ts'

const services = {
  gateway: Gateway,
  catalog: Catalog,
  accounts: Accounts,
  orders: Orders,
  payments: Payments,
}

const GENERATED = '<!-- Generated from the code by `npm run docs`; a test compares it. -->'

/** The generated pages: path below docs/ to text. */
export const pages = (): Record<string, string> => ({
  'configuration.md': configuration(),
  'openapi.json': `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  'problems.md': problemPage(),
})

/** The declaration of a variable by one service. */
type Reading = { service: string; fallback: string; description: string }

function configuration(): string {
  const variables = new Map<string, Reading[]>()
  for (const [service, config] of Object.entries(services)) {
    for (const [name, schema] of Object.entries<z.ZodType>(config.shape)) {
      const reading = { service, fallback: fallbackOf(schema), description: schema.description ?? '' }
      variables.set(name, [...(variables.get(name) ?? []), reading])
    }
  }
  const rows = [...variables].map(
    ([name, readings]) =>
      `| \`${name}\` | ${readBy(readings)} | ${each(readings, 'fallback')} | ${each(readings, 'description')} |`,
  )
  return page('Configuration', 'Environment variables, read and checked once when a service starts.', [
    '| variable | read by | default | purpose |',
    '| --- | --- | --- | --- |',
    ...rows,
  ])
}

const readBy = (readings: readonly Reading[]): string =>
  readings.length === Object.keys(services).length ? 'all' : readings.map(({ service }) => service).join(', ')

/** Returns the common text, or each text with the services that declare it. */
function each(readings: readonly Reading[], what: 'fallback' | 'description'): string {
  const byText = Map.groupBy(readings, (reading) => reading[what])
  if (byText.size === 1) return [...byText.keys()].join()
  return [...byText].map(([text, declared]) => `${readBy(declared)}: ${text}`).join('<br>')
}

/** Returns the default of a variable, or `mandatory`. */
function fallbackOf(schema: z.ZodType): string {
  const absent = schema.safeParse(undefined)
  if (!absent.success) return 'mandatory'
  return absent.data === undefined ? 'none' : `\`${JSON.stringify(absent.data).replaceAll('"', '')}\``
}

function problemPage(): string {
  const rows = Object.entries(problems).map(
    ([code, row]) =>
      `| ${row.status} | \`${code}\` | ${row.errorCode} | ${row.title} | ${row.retryable ? 'yes' : 'no'} |`,
  )
  return page(
    'Problems',
    'Every error that a client can receive. `errorCode` is the stable integer that existing clients read.',
    [
      '| status | code | errorCode | title | retryable |',
      '| --- | --- | --- | --- | --- |',
      ...rows,
      ...Object.entries(problems).flatMap(([code, { why, fix }]) => [
        '',
        `## ${code}`,
        '',
        `**Why it happens.** ${why}`,
        '',
        `**How to fix it.** ${fix}`,
      ]),
    ],
  )
}

const page = (title: string, lead: string, lines: string[]) =>
  `${GENERATED}\n\n# ${title}\n\n${lead}\n\n${lines.join('\n')}\n`
