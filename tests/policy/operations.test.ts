import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Attention } from '@platter/contracts'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { CHECKS } from '../../apps/cli/src/doctor/findings.ts'
import { addedValues } from '../../dev/compose/installation.ts'
import { headingsOf, slug } from './references.ts'

/* docs/operations.md is the runbook. Every reporter of a fault has a row there, with its exact name. */

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const runbook = read('docs/operations.md')
const anchors = new Set(headingsOf(runbook).map(slug))

/** Returns the rows below a heading, from the name in the first column to the anchor in the last one. */
function rowsUnder(heading: string, page = runbook): Map<string, string | undefined> {
  const [, section = ''] = page.split(`### ${heading}\n`)
  const [own = ''] = section.split(/^#{2,3} /m)
  const rows = [...own.matchAll(/^\| `([^`]+)`\s*\|(.*)\|$/gm)]
  return new Map(rows.map(([, name = '', rest = '']) => [name, /\]\(#([^)]+)\)\s*$/.exec(rest)?.[1]]))
}

/** The messages of all lines of level `error` and `fatal`. */
function errorMessages(): string[] {
  const sources = globSync(['packages/{bus,kit}/src/**/*.ts', 'services/*/src/**/*.ts'], { cwd: root })
  const calls = sources
    .filter((file) => !file.includes('.test.'))
    .flatMap((file) => [...read(file).matchAll(/\blog\s*\.(?:error|fatal)\(([^]*?)\n?\s*\)\s*\n/g)])
  return calls.map(([call, text = '']) => /'([^']+)',?\s*$/.exec(text)?.[1] ?? call)
}

const kinds: readonly string[] = Attention.shape.kind.options

type Rule = { alert: string; annotations: { runbook_url: string } }
const { groups } = parse(read('deploy/observability/prometheus-rules.yaml')) as {
  groups: { rules: Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)

test.each([
  ['Alert messages and incidents', kinds],
  ['Lines of doctor', CHECKS],
  ['Rules of Prometheus', rules.map(({ alert }) => alert)],
  ['Lines of a log', [...new Set(errorMessages())]],
])('%s: each has a row in the runbook, and no row is stale', (heading, names) => {
  expect(names.length).toBeGreaterThan(7)
  expect([...rowsUnder(heading).keys()].toSorted()).toEqual([...names].toSorted())
})

test.each(['Alert messages and incidents', 'Lines of doctor', 'Rules of Prometheus'])(
  '%s: each row leads to a section',
  (heading) => {
    const lost = [...rowsUnder(heading)].filter(([, anchor]) => anchor === undefined || !anchors.has(anchor))
    expect(lost).toEqual([])
  },
)

test('an alert message names the section of its kind, and a rule of Prometheus an existing section', () => {
  expect(kinds.filter((kind) => rowsUnder('Alert messages and incidents').get(kind) !== kind)).toEqual([])
  const named = rules.map(
    ({ annotations }) => /^docs\/operations\.md#(.+)$/.exec(annotations.runbook_url)?.[1] ?? '',
  )
  expect(named.filter((anchor) => !anchors.has(anchor))).toEqual([])
  const rows = rowsUnder('Rules of Prometheus')
  expect(rules.map(({ alert }) => [alert, rows.get(alert)])).toEqual(
    rules.map(({ alert }, at) => [alert, named[at]]),
  )
})

test('a missing row is found', () => {
  const page = runbook.replace(/^\| `overdue-saga`.*\n/m, '')
  expect(rowsUnder('Alert messages and incidents', page).has('overdue-saga')).toBe(false)
  expect(rowsUnder('Alert messages and incidents').has('overdue-saga')).toBe(true)
})

/** The row of a password of catalog has the others "and the like". */
const likeCatalog = (name: string): string => name.replace(/^(ACCOUNTS|ORDERS|PAYMENTS)_/, 'CATALOG_')

test('the runbook rotates every secret that the set-up writes', () => {
  const secrets = Object.keys(addedValues({}).added).filter((name) =>
    /(SECRET|PEPPER|PASSWORD|PASSPHRASE)$/.test(name),
  )
  expect(secrets.length).toBeGreaterThan(7)
  const [, section = ''] = runbook.split('### Rotate keys and secrets\n')
  const [own = ''] = section.split(/^#{2,3} /m)
  expect(secrets.filter((name) => !own.includes(`\`${likeCatalog(name)}\``))).toEqual([])
})

test('the documents for operators name only metrics of docs/telemetry.md', () => {
  const pages = ['operations', 'deployment', 'scaling'].map((page) => read(`docs/${page}.md`)).join('\n')
  const names = new Set(
    [...pages.matchAll(/`((?:platter|http|db)\.[a-z_.]+)`/g)].map(([, name = '']) => name),
  )
  const measured = read('docs/telemetry.md')
  expect(names.size).toBeGreaterThan(0)
  expect([...names].filter((name) => !measured.includes(`\`${name}\``))).toEqual([])
})

test('the runbook pulls only images of a registry: `platter/orders` there would replace the image that was built here', () => {
  const pulls = [...runbook.matchAll(/`docker compose pull([^`]*)`/g)].map(([, options = '']) => options)
  expect(pulls.length).toBeGreaterThan(0)
  // A pulled image runs only in a new container: a reboot starts the old ones.
  expect(pulls.filter((one) => !/^ --ignore-buildable && docker compose up -d$/.test(one))).toEqual([])
})
