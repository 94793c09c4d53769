import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeSecrets } from '../../dev/kubernetes/secrets.ts'
import { policiesOf } from '../deploy/policies.ts'
import { kustomize, render, type Manifest } from '../deploy/render.ts'
import { variablesOf, workloadsOf, type Labels, type Secrets, type Workload } from '../deploy/workloads.ts'

/*
 * deploy/kubernetes/production-tls: TLS to every server and between all services (docs/decisions/0154-tls-between-services.md).
 * kubernetes.test.ts checks its fields, variables and pods.
 */

const services = ['gateway', 'catalog', 'accounts', 'orders', 'payments']
const stripe = { secretKey: 'sk_live_0123456789abcdef', webhookSecret: 'whsec_0123456789abcdef' }
const secrets: Secrets = Object.fromEntries(
  makeSecrets(stripe).secrets.map(({ metadata, stringData }) => [metadata.name, stringData]),
)

const CertificateSpec = z.object({ secretName: z.string(), dnsNames: z.array(z.string()).default([]) })
const Volumes = z.array(
  z.looseObject({ name: z.string(), secret: z.object({ secretName: z.string() }).optional() }),
)

/** The pods of the operators have these labels. */
const ofOperators: Readonly<Record<string, Labels>> = {
  rabbitmq: { 'app.kubernetes.io/name': 'rabbitmq' },
  'postgres-rw': { 'cnpg.io/cluster': 'postgres' },
}

let manifests: readonly Manifest[]
let ours: readonly Workload[]
const spec = (kind: string) => manifests.filter((one) => one.kind === kind).map((one) => one['spec'])

/** The URLs in the variables of a pod that name a host of the namespace. */
const urlsOf = (one: Workload): URL[] =>
  Object.values(variablesOf(one, secrets).variables)
    .flatMap((value) => value.split(','))
    .filter((value) => URL.canParse(value))
    .map((value) => new URL(value))
    .filter(({ hostname }) => hostname !== '' && !hostname.includes('.'))

const labelsOf = (host: string): Labels =>
  ofOperators[host] ?? ours.find(({ name }) => name === host)?.labels ?? { 'app.kubernetes.io/name': host }

// The package exists for Linux on x64, so these tests never skip there.
const cannotRender = kustomize === null && !(process.platform === 'linux' && process.arch === 'x64')

describe.skipIf(cannotRender)('production-tls', () => {
  beforeAll(async () => {
    manifests = await render('deploy/kubernetes/production-tls')
    ours = workloadsOf(manifests).filter(({ container }) => container.name === 'process')
  })

  test('every URL of a service or server is encrypted, and a certificate has its host name', () => {
    const named = spec('Certificate').flatMap((one) => CertificateSpec.parse(one).dnsNames)
    const clear = ours.flatMap((one) => {
      const { variables } = variablesOf(one, secrets)
      return urlsOf(one)
        .filter(({ protocol }) =>
          protocol === 'postgres:'
            ? variables['PGSSLMODE'] !== 'verify-full'
            : !['https:', 'amqps:', 'rediss:'].includes(protocol),
        )
        .map(({ protocol, host }) => `${one.name} > ${protocol}//${host}`)
    })
    expect(clear).toEqual([])
    expect(named).toEqual(expect.arrayContaining(ours.flatMap(urlsOf).map(({ hostname }) => hostname)))
    expect(ours.filter((one) => urlsOf(one).length === 0)).toEqual([])
  })

  test('each pod mounts the certificate of its own name, and the authority of the other certificates', () => {
    const made = spec('Certificate').map((one) => CertificateSpec.parse(one).secretName)
    const mounts = workloadsOf(manifests).map((one) => {
      const volumes = Volumes.parse(one.pod['volumes'])
      const { variables } = variablesOf(one, secrets)
      return {
        pod: one.name,
        mounted: volumes.flatMap(({ secret }) => secret?.secretName ?? []),
        authority: variables['NODE_EXTRA_CA_CERTS'],
        directory: variables['TLS_DIRECTORY'],
      }
    })
    const folder = '/etc/platter/tls'
    const authority = `${folder}/ca.crt`
    expect(made).toEqual(expect.arrayContaining(mounts.flatMap(({ mounted }) => mounted)))
    expect(mounts.toSorted((a, b) => a.pod.localeCompare(b.pod))).toEqual(
      [
        ...services.map((pod) => ({ pod, mounted: [`${pod}-server-tls`], authority, directory: folder })),
        { pod: 'prepare', mounted: ['postgres-server-tls'], authority, directory: undefined },
        { pod: 'redis', mounted: ['redis-server-tls'], authority: undefined, directory: undefined },
      ].toSorted((a, b) => a.pod.localeCompare(b.pod)),
    )
  })

  test('the policies permit the encrypted ports only', () => {
    const { mayReach } = policiesOf(manifests)
    for (const one of ours)
      for (const url of urlsOf(one))
        expect([one.name, url.host, mayReach(one.labels, labelsOf(url.hostname), Number(url.port))]).toEqual([
          one.name,
          url.host,
          true,
        ])
    for (const one of ours) expect(mayReach(one.labels, labelsOf('rabbitmq'), 5672)).toBe(false)
  })

  test('probes and the ingress connect to the services over HTTPS', () => {
    for (const { name, container } of ours.filter((one) => one.name !== 'prepare'))
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
        expect({ name, probe, ...container[probe] }).toMatchObject({
          httpGet: { scheme: 'HTTPS', port: 'http' },
        })
    const [ingress] = manifests.filter(({ kind }) => kind === 'Ingress')
    expect(ingress?.metadata).toMatchObject({
      annotations: {
        'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS',
        'nginx.ingress.kubernetes.io/proxy-ssl-verify': 'on',
        'nginx.ingress.kubernetes.io/proxy-ssl-secret': 'platter/gateway-server-tls',
      },
    })
  })
})
