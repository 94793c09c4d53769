import { execFileSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { kustomize, render, type Manifest } from '../deploy/render.ts'

/* Executes the changes of the restore in docs/kubernetes.md in a copy of the manifests. */

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/kubernetes.md'), 'utf8')
const [, section = ''] = page.split('\n## Restore\n')
const [steps = ''] = section.split('\n## ')

/** With the components that name the cluster. */
const overlayOn = (production: string) => `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../${production}]
components: [../components/monitoring]
`

/** A reference to the first cluster: in a URL, a selector, or by the name of the cluster or of its authority. */
const FIRST =
  /@postgres-rw:|"cnpg\.io\/cluster":"postgres"|"cluster":\{"name":"postgres"\}|"secretName":"postgres-ca"/

/** Renders an overlay before and after the changes, without the first cluster. */
async function restore(production: string): Promise<Record<'before' | 'after', readonly Manifest[]>> {
  await using copy = await mkdtempDisposable(join(tmpdir(), 'platter-restore-'))
  cpSync(join(root, 'deploy'), join(copy.path, 'deploy'), { recursive: true })
  const manifests = join(copy.path, 'deploy/kubernetes')
  mkdirSync(join(manifests, 'observed'))
  writeFileSync(join(manifests, 'observed/kustomization.yaml'), overlayOn(production))
  const rendered = async () =>
    (await render(relative(root, join(manifests, 'observed')))).filter(
      ({ kind, metadata }) => kind !== 'Cluster' || metadata.name !== 'postgres',
    )
  const before = await rendered()
  const [, cluster = ''] = /^```yaml\n([^]*?)^```$/m.exec(steps) ?? []
  appendFileSync(join(manifests, 'production/postgres.yaml'), `---\n${cluster}`)
  const changes = steps.replaceAll('\\\n', ' ').match(/^ *sed -i .*$/gm) ?? []
  expect(changes.length).toBeGreaterThan(2)
  execFileSync('sh', ['-ec', changes.join('\n')], { cwd: copy.path })
  return { before, after: await rendered() }
}

const restorations = new Map<string, ReturnType<typeof restore>>()
function restored(production: string): ReturnType<typeof restore> {
  const restoration = restorations.get(production) ?? restore(production)
  restorations.set(production, restoration)
  return restoration
}

const namesFirst = (one: Manifest): boolean => FIRST.test(JSON.stringify(one))

describe.skipIf(kustomize === null)('after a restore', () => {
  test.each(['production', 'production-tls'])(
    'everything of %s uses the restored cluster: services, policies, backups, metrics',
    async (production) => {
      const { before, after } = await restored(production)
      expect(before.filter(namesFirst).map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['Deployment', 'Job', 'NetworkPolicy', 'ScheduledBackup', 'PodMonitor']),
      )
      expect(after.filter(namesFirst).map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([])
    },
  )

  test('the restored cluster of production-tls has a certificate for its name', async () => {
    const { after } = await restored('production-tls')
    const cluster = after.find(({ kind }) => kind === 'Cluster')
    expect(cluster?.['spec']).toMatchObject({ certificates: { serverTLSSecret: 'postgres-server-tls' } })
    const certificates = after.filter(({ kind }) => kind === 'Certificate').map(({ spec }) => spec)
    expect(certificates).toContainEqual(
      expect.objectContaining({
        secretName: 'postgres-server-tls',
        dnsNames: expect.arrayContaining(['postgres-restored-rw']) as string[],
      }),
    )
  })
})

test('each command that waits for an object names its timeout, because the default is 30 s', () => {
  const waits = page.match(/^ *kubectl .*\bwait\b.*$/gm) ?? []
  expect(waits.length).toBeGreaterThan(1)
  expect(waits.filter((one) => !one.includes('--timeout='))).toEqual([])
})
