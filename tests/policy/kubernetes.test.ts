import { readFileSync } from 'node:fs'
import { requestTimes } from '@platter/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { makeSecrets } from '../../dev/kubernetes/secrets.ts'
import { brokerServices, permissionsOf } from '../../dev/servers/rabbitmq-users.ts'
import { Config as Orders } from '../../services/orders/src/config.ts'
import { environmentFaults } from '../deploy/environment.ts'
import { policiesOf } from '../deploy/policies.ts'
import { kustomize, render, type Manifest } from '../deploy/render.ts'
import { faultsOf } from '../deploy/schema.ts'
import { secretsOf, variablesOf, workloadsOf, type Secrets, type Workload } from '../deploy/workloads.ts'

/* Checks the output of Kustomize for deploy/kubernetes, without a cluster: docs/decisions/0018-kubernetes.md. */

const overlays = ['try-out', 'production', 'production-tls'] as const
type Overlay = (typeof overlays)[number]
const services = ['gateway', 'catalog', 'accounts', 'orders', 'payments']

/** In production, the operators create some Secrets, and dev/kubernetes/secrets.ts creates the others. */
const stripe = { secretKey: 'sk_live_0123456789abcdef', webhookSecret: 'whsec_0123456789abcdef' }
const inProduction: Secrets = Object.fromEntries(
  makeSecrets(stripe).secrets.map(({ metadata, stringData }) => [metadata.name, stringData]),
)

const manifests = {} as Record<Overlay, readonly Manifest[]>
let withGeocoder: readonly Manifest[]
const workloads = {} as Record<Overlay, readonly Workload[]>
const secrets = {} as Record<Overlay, Secrets>
const workload = (overlay: Overlay, name: string): Workload => {
  const found = workloads[overlay].find((one) => one.name === name)
  if (!found) throw new Error(`${overlay} has no ${name}`)
  return found
}
const ofKind = (overlay: Overlay, kind: string) =>
  manifests[overlay].filter((manifest) => manifest.kind === kind)

const inProductionThat = (isAllowed: (labels: Workload['labels']) => boolean): string[] =>
  workloads.production.filter(({ labels }) => isAllowed(labels)).map(({ name }) => name)

// The package from npm exists for Linux on x64, so these tests never skip there.
const cannotRender = kustomize === null && !(process.platform === 'linux' && process.arch === 'x64')

describe.skipIf(cannotRender)(`manifests by ${kustomize?.join(' ') ?? 'no program: install kubectl'}`, () => {
  beforeAll(async () => {
    const rendered = overlays.map(async (overlay) => {
      manifests[overlay] = await render(`deploy/kubernetes/${overlay}`)
      workloads[overlay] = workloadsOf(manifests[overlay])
      secrets[overlay] = overlay === 'try-out' ? secretsOf(manifests[overlay]) : inProduction
    })
    await Promise.all(rendered)
    withGeocoder = await render('tests/deploy/geocoder')
  })

  test.each(overlays)('%s has only known fields with valid values', async (overlay) => {
    const faults = await Promise.all(
      manifests[overlay].map(async (manifest) =>
        (await faultsOf(manifest)).map((fault) => `${manifest.kind} ${manifest.metadata.name}: ${fault}`),
      ),
    )
    expect(manifests[overlay].length).toBeGreaterThan(40)
    expect(faults.flat()).toEqual([])
  })

  test.each(overlays)('%s starts every process with variables that it accepts', async (overlay) => {
    const ours = workloads[overlay].filter(({ container }) => container.name === 'process')
    const faults = await Promise.all(
      ours.map(async (one) => {
        const { variables, used } = variablesOf(one, secrets[overlay])
        expect(JSON.stringify(variables)).not.toContain('$(')
        return environmentFaults(one.name, variables, used)
      }),
    )
    expect(ours.map(({ name }) => name)).toEqual(expect.arrayContaining([...services, 'prepare']))
    expect(faults.flat()).toEqual([])
  })

  test.each(overlays)(
    'in %s no pod runs as root, writes into its image or has a token for the cluster',
    (overlay) => {
      for (const { name, pod, container } of workloads[overlay]) {
        expect({ name, ...pod }).toMatchObject({
          name,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        })
        expect({ name, ...(container['securityContext'] as object) }).toMatchObject({
          name,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          // The scripts of its image write configuration beside the program.
          ...(name !== 'rabbitmq' && { readOnlyRootFilesystem: true }),
        })
        expect({ name, ...(container['resources'] as object) }).toMatchObject({
          name,
          requests: { cpu: expect.any(String) as string, memory: expect.any(String) as string },
          limits: { memory: expect.any(String) as string },
        })
      }
    },
  )

  test.each(overlays)(
    'in %s start.sh starts every process, jobs too, so that none writes a core file',
    (overlay) => {
      const ours = workloads[overlay].filter(({ container }) => container.name === 'process')
      // Without arguments the command of the image applies, which begins with start.sh.
      const others = ours.filter(({ container }) => {
        const [first] = z.array(z.string()).default([]).parse(container['args'])
        return first !== undefined && first !== '/app/packages/kit/start.sh'
      })
      expect(others.map(({ name }) => name)).toEqual([])
    },
  )

  test.each(overlays)('in %s each service has probes and time for a graceful stop', (overlay) => {
    for (const name of services) {
      const { pod, container } = workload(overlay, name)
      expect({ service: name, ...container }).toMatchObject({
        service: name,
        startupProbe: { httpGet: { path: '/health/live', port: 'http' } },
        livenessProbe: { httpGet: { path: '/health/live', port: 'http' } },
        readinessProbe: { httpGet: { path: '/health/serving', port: 'http' } },
      })
      const { lifecycle } = z
        .object({ lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) }) })
        .parse(container)
      const stopSeconds = lifecycle.preStop.sleep.seconds + requestTimes.exit / 1_000
      expect(pod['terminationGracePeriodSeconds']).toBeGreaterThan(stopSeconds)
    }
  })

  test.each(overlays)(
    'in %s the heap of a service reaches its limit before the kernel ends the pod',
    (overlay) => {
      const start = readFileSync(new URL('../../packages/kit/start.sh', import.meta.url), 'utf8')
      const heap = Number(/--max-old-space-size=(\d+)/.exec(start)?.[1])
      const Limits = z.object({ limits: z.object({ memory: z.templateLiteral([z.number(), 'Mi']) }) })
      for (const name of services) {
        const { memory } = Limits.parse(workload(overlay, name).container['resources']).limits
        // Resident memory is 95 MB above the live objects (start.sh).
        expect({ name, enough: parseInt(memory) >= heap + 95 }).toEqual({ name, enough: true })
      }
    },
  )

  test('the try-out fits into two cores, with half a core for the pods of the cluster', () => {
    const Requests = z.object({ requests: z.object({ cpu: z.string() }) })
    const requested = workloads['try-out'].map(({ container }) =>
      millicores(Requests.parse(container['resources']).requests.cpu),
    )
    expect(requested.length).toBeGreaterThan(10)
    expect(requested.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(1_500)
  })

  test('an ingress of production does not buffer event streams', () => {
    const [ingress] = ofKind('production', 'Ingress')
    expect(ingress?.metadata).toMatchObject({
      annotations: { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' },
    })
  })

  test('monitoring, KEDA and the Gateway API replace ingress and autoscalers, at equal maxima', async () => {
    const large = await render('tests/deploy/large')
    expect((await Promise.all(large.map(faultsOf))).flat()).toEqual([])
    const named = (kind: string) =>
      large.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name)
    expect(named('Ingress')).toEqual([])
    expect(named('HTTPRoute')).toEqual(['gateway'])
    expect(named('PodMonitor')).toEqual(['postgres', 'rabbitmq'])
    expect(named('PrometheusRule')).toEqual(['platter', 'postgres'])
    expect(named('ConfigMap')).toContain('platter-dashboard')
    // Two autoscalers of one Deployment would reverse each other's changes.
    expect([...named('ScaledObject'), ...named('HorizontalPodAutoscaler')].toSorted()).toEqual(
      services.toSorted(),
    )
    const Maximum = z.object({ maxReplicaCount: z.number() })
    const Bound = z.object({ maxReplicas: z.number() })
    for (const { metadata, spec } of large.filter(({ kind }) => kind === 'ScaledObject')) {
      const scaler = ofKind('production', 'HorizontalPodAutoscaler').find(
        (one) => one.metadata.name === metadata.name,
      )
      expect(Maximum.parse(spec).maxReplicaCount).toBe(Bound.parse(scaler?.['spec']).maxReplicas)
    }
  })

  test('in the try-out each pod may reach exactly the servers that its variables name', () => {
    const { mayReach } = policiesOf(manifests['try-out'])
    const serving = ofKind('try-out', 'Service').map((service) => {
      const { selector, ports } = z
        .object({
          selector: z.record(z.string(), z.string()),
          ports: z.array(z.object({ port: z.number() })),
        })
        .parse(service['spec'])
      return { host: service.metadata.name, selector, ports: ports.map(({ port }) => port) }
    })
    const wanted = workloads['try-out'].flatMap((one) => {
      const { variables } = variablesOf(one, secrets['try-out'])
      const urls = Object.values(variables).flatMap((value) => value.split(','))
      return urls
        .filter((url) => URL.canParse(url) && serving.some(({ host }) => host === new URL(url).hostname))
        .map((url) => `${one.name} > ${new URL(url).host}`)
    })
    const open = workloads['try-out'].flatMap((from) =>
      serving.flatMap(({ host, selector, ports }) =>
        ports
          .filter((port) => mayReach(from.labels, selector, port))
          .map((port) => `${from.name} > ${host}:${port}`),
      ),
    )
    expect(open.toSorted()).toEqual(wanted.toSorted())
  })

  test('only the gateway is reachable from outside; only orders and payments connect to outside', () => {
    const { mayBeReachedFromOutside, mayLeave } = policiesOf(manifests.production)
    expect(inProductionThat(mayBeReachedFromOutside)).toEqual(['gateway'])
    expect(inProductionThat(mayLeave).toSorted()).toEqual(['orders', 'payments'])
  })

  test('with a geocoder the catalog has its URL, and may connect to outside', async () => {
    const catalog = workloadsOf(withGeocoder).find(({ name }) => name === 'catalog')
    if (!catalog) throw new Error('The manifests have no catalog')
    const { variables, used } = variablesOf(catalog, inProduction)
    expect(variables).toHaveProperty('GEOCODER_URL')
    expect(await environmentFaults('catalog', variables, used)).toEqual([])
    expect((await Promise.all(withGeocoder.map(faultsOf))).flat()).toEqual([])
    expect(policiesOf(withGeocoder).mayLeave(catalog.labels)).toBe(true)
  })

  test('production has two replicas or more of each service, within max_connections of PostgreSQL', () => {
    const replicas = Object.fromEntries(
      ofKind('production', 'HorizontalPodAutoscaler').map(({ metadata, spec }) => [
        metadata.name,
        z.object({ minReplicas: z.number(), maxReplicas: z.number() }).parse(spec),
      ]),
    )
    expect(Object.keys(replicas).toSorted()).toEqual(services.toSorted())
    expect(Object.values(replicas).every(({ minReplicas }) => minReplicas >= 2)).toBe(true)
    expect(ofKind('production', 'PodDisruptionBudget').map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(services),
    )
    const pool = Orders.shape.DATABASE_POOL.parse(undefined)
    const connected = services.filter((name) => name !== 'gateway')
    // A roll-out starts the next quarter before it ends the last one: maxSurge 25 %, rounded up.
    const atMost = connected.map((name) => Math.ceil((replicas[name]?.maxReplicas ?? NaN) * 1.25) * pool)
    const [cluster] = ofKind('production', 'Cluster')
    const { postgresql } = z
      .object({ postgresql: z.object({ parameters: z.object({ max_connections: z.coerce.number() }) }) })
      .parse(cluster?.['spec'])
    // 15 connections for people, the operator, replication and `prepare`.
    expect(atMost.reduce((sum, one) => sum + one, 15)).toBeLessThanOrEqual(
      postgresql.parameters.max_connections,
    )
  })

  test('production has no Secret; an operator or secrets.ts creates each named Secret', () => {
    expect(ofKind('production', 'Secret')).toEqual([])
    const text = JSON.stringify(manifests.production)
    const named = [...text.matchAll(/"(?:secretName|secretKeyRef":\{"key":"[^"]+","name)":"([^"]+)"/g)]
    const names = new Set(named.map(([, name = '']) => name))
    expect(names).toContain('stripe')
    const madeByOthers = ['gateway-tls', 'postgres-ca']
    expect([...names].filter((name) => !(name in inProduction) && !madeByOthers.includes(name))).toEqual([])
  })

  test('CloudNativePG reads a changed Secret of its cluster: the Secret has the label for that', () => {
    const [cluster] = ofKind('production', 'Cluster')
    const { superuserSecret } = z
      .object({ superuserSecret: z.object({ name: z.string() }) })
      .parse(cluster?.['spec'])
    const made = makeSecrets(stripe).secrets.find(({ metadata }) => metadata.name === superuserSecret.name)
    expect(made?.metadata).toMatchObject({ labels: { 'cnpg.io/reload': 'true' } })
  })

  test('the manifests in docs/kubernetes.md have only known fields, and match production', async () => {
    const page = readFileSync(new URL('../../docs/kubernetes.md', import.meta.url), 'utf8')
    const blocks = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(
      ([, text = '']) => parse(text) as Manifest,
    )
    const faults = await Promise.all(blocks.map((manifest) => faultsOf(manifest)))
    expect(faults.flat()).toEqual([])
    // The cluster for a restore equals the cluster in production, except for its name and source.
    const [cluster] = ofKind('production', 'Cluster')
    const { bootstrap: _, ...spec } = z.looseObject({ bootstrap: z.unknown() }).parse(cluster?.['spec'])
    expect(blocks).toEqual([
      expect.objectContaining({ kind: 'Cluster', spec: expect.objectContaining(spec) as object }),
    ])
  })

  test.each(overlays)('in %s RabbitMQ has a user for each service, with current permissions', (overlay) => {
    const server =
      overlay === 'production-tls'
        ? 'amqps://SERVICE:[^$]+@rabbitmq:5671'
        : 'amqp://SERVICE:[^$]+@rabbitmq:5672'
    const users = Object.entries(secrets[overlay]).find(([name]) => name.startsWith('rabbitmq-users'))?.[1]
    const definitions = z
      .object({
        users: z.array(z.object({ name: z.string(), tags: z.string() })),
        permissions: z.array(z.unknown()),
      })
      .parse(JSON.parse(users?.['definitions.json'] ?? ''))
    const ofServices = brokerServices.map((user) => ({ user, vhost: '/', ...permissionsOf(user) }))
    expect(
      definitions.permissions,
      'after a new message, run: node dev/kubernetes/broker-users.ts development > deploy/kubernetes/try-out/rabbitmq-users.json',
    ).toEqual(expect.arrayContaining(ofServices))
    expect(definitions.users.filter(({ tags }) => tags !== '').map(({ name }) => name)).toEqual(['platter'])
    for (const service of brokerServices)
      expect(variablesOf(workload(overlay, service), secrets[overlay]).variables['AMQP_URL']).toMatch(
        new RegExp(`^${server.replace('SERVICE', service)}$`),
      )
  })

  const mistakes: readonly [string, kind: string, name: string, (one: Broken) => void, fault: string][] = [
    [
      'a mistyped field',
      'Deployment',
      'orders',
      (one) => set(containerOf(one), 'readynessProbe', {}),
      'readynessProbe',
    ],
    ['a wrong type', 'Deployment', 'orders', (one) => set(containerOf(one), 'ports', '8080'), 'ports'],
    ['a missing field', 'Deployment', 'orders', (one) => delete containerOf(one)['name'], 'name'],
    [
      'an invalid enum value',
      'Deployment',
      'orders',
      (one) => set(containerOf(one), 'imagePullPolicy', 'Never2'),
      'Policy',
    ],
    ['an unknown version', 'Deployment', 'orders', (one) => set(one, 'apiVersion', 'apps/v7'), 'apps/v7'],
    [
      'a mistyped field',
      'HorizontalPodAutoscaler',
      'orders',
      (one) => set(one.spec, 'maxReplica', 3),
      'maxReplica ',
    ],
    ['a mistyped field', 'NetworkPolicy', 'ask-dns', (one) => set(one.spec, 'egres', []), '/spec/egres'],
    ['a mistyped field', 'Cluster', 'postgres', (one) => set(one.spec, 'instnces', 3), 'instnces'],
    ['a mistyped field', 'RabbitmqCluster', 'rabbitmq', (one) => set(one.spec, 'replica', 3), 'replica'],
    ['a mistyped field', 'ObjectStore', 'backups', (one) => set(one.spec, 'retention', '9d'), 'retention'],
  ]
  test.each(mistakes)('%s in a %s (%s) is found', async (...[, kind, name, mutate, fault]) => {
    const whole = ofKind('production', kind).find(({ metadata }) => metadata.name === name)
    const broken = structuredClone(whole) as unknown as Broken
    mutate(broken)
    expect((await faultsOf(broken as unknown as Manifest)).join()).toContain(fault)
  })

  test('finds an unknown, a missing and a refused variable', async () => {
    const { variables, used } = variablesOf(workload('production', 'payments'), inProduction)
    const { AMQP_URL, STRIPE_SECRET_KEY, ...without } = variables
    expect(await environmentFaults('payments', variables, used)).toEqual([])
    expect(await environmentFaults('payments', { ...variables, AMPQ_URL: 'x' }, used)).toHaveLength(1)
    expect(await environmentFaults('payments', { ...without, STRIPE_SECRET_KEY: 'x' }, used)).toHaveLength(2)
    expect(await environmentFaults('payments', { ...without, AMQP_URL: AMQP_URL ?? '' }, used)).toEqual([
      expect.stringContaining('STRIPE_SECRET_KEY'),
    ])
    expect(STRIPE_SECRET_KEY).toBe(stripe.secretKey)
  })
})

/** A CPU quantity of Kubernetes: `250m` or `2`. */
const millicores = (cpu: string): number => (cpu.endsWith('m') ? parseInt(cpu) : Number(cpu) * 1_000)

type Fields = Record<string, unknown>
type Broken = Fields & { spec: Fields & { template: { spec: { containers: Fields[] } } } }

const set = (of: Fields, field: string, value: unknown): void => {
  of[field] = value
}

function containerOf({ spec }: Broken): Fields {
  const [container] = spec.template.spec.containers
  if (!container) throw new Error('The manifest has no container')
  return container
}
