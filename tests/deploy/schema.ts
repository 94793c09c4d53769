import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type { Manifest } from './render.ts'

/* The schemas are those of Kubernetes' own OpenAPI document and of the operators' CRDs, compiled into functions by the
   packages kubernetes-models. Two records are in no package, and have theirs here. */

/** The package of each API group that does not belong to Kubernetes. */
const PACKAGES: Readonly<Record<string, string>> = {
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
}

/** Throws an error for a missing field, or for a wrong type or value. */
type Validate = (document: unknown) => void

/**
 * Returns the faults of a manifest: missing required fields, values of a wrong type or outside of an enumeration, and unknown
 * fields.
 */
export async function faultsOf(manifest: Manifest): Promise<readonly string[]> {
  const spec = ownSpecs[`${manifest.apiVersion}/${manifest.kind}`]
  if (!spec) return faultsOfModel(manifest)
  const own = z.strictObject({ apiVersion: z.string(), kind: z.string(), metadata: z.unknown(), spec })
  const faults = own.safeParse(manifest).error?.issues ?? []
  return [
    ...faults.map(({ path, message }) => `/${path.join('/')} ${message}`),
    ...(await faultsOfModel(podOf(manifest))),
  ]
}

/** Returns the parts of a record that are those of a pod, so that the schema of a pod checks them. */
function podOf({ metadata, spec }: Manifest): Manifest {
  const { affinity = {}, override } = spec as { affinity?: object; override?: Override }
  const pod = override?.statefulSet.spec.template.spec ?? { containers: [] }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...pod, affinity } }
}
type Override = { statefulSet: { spec: { template: { spec: object } } } }

async function faultsOfModel(manifest: Manifest): Promise<readonly string[]> {
  const validate = await validatorOf(manifest)
  if (validate === null) return [`/kind ${manifest.apiVersion} has no ${manifest.kind}`]
  const read = new Set<string>()
  try {
    validate(recorded(manifest, '', read))
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
  return unreadIn(manifest, '', read).map((path) => `${path} is no field of it`)
}

async function validatorOf({ apiVersion, kind }: Manifest): Promise<Validate | null> {
  const from = PACKAGES[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'
  const file = join(import.meta.dirname, '../../node_modules', from, apiVersion, `${kind}.js`)
  if (!existsSync(file)) return null
  const models = (await import(pathToFileURL(file).href)) as Record<string, Model>
  const validate = models[kind]?.prototype.validate
  return validate ? (document) => validate.call(document) : null
}
type Model = { prototype: { validate: (this: unknown) => void } }

/**
 * Records the paths of the fields that are read. The schemas accept unknown fields, and a mistyped field is the most common mistake.
 * A compiled schema reads all fields that it declares, and no others. A field that it does not read is therefore unknown.
 */
const recorded = (document: object, path: string, read: Set<string>): object =>
  new Proxy(document, {
    get(of, field, receiver) {
      const value: unknown = Reflect.get(of, field, receiver)
      const here = `${path}/${String(field)}`
      read.add(here)
      return isObject(value) ? recorded(value, here, read) : value
    },
  })

const unreadIn = (document: object, path: string, read: ReadonlySet<string>): string[] =>
  Object.entries(document).flatMap(([field, value]) => {
    const here = `${path}/${field}`
    if (!read.has(here)) return [here]
    return isObject(value) ? unreadIn(value, here, read) : []
  })

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const quantity = z.string().regex(/^\d+(\.\d+)?(m|Ki|Mi|Gi|Ti|k|M|G|T)?$/)
const key = z.strictObject({ name: z.string(), key: z.string() })
/** `podOf` has the other fields. */
const pods = z.looseObject({ containers: z.array(z.looseObject({ name: z.literal('rabbitmq') })) })
const compression = z.strictObject({ compression: z.enum(['gzip', 'bzip2', 'snappy']) })

/** These records contain only the fields in use. Look up a further field in the operator's reference, then add it. */
const ownSpecs: Readonly<Record<string, z.ZodType>> = {
  'rabbitmq.com/v1beta1/RabbitmqCluster': z.strictObject({
    replicas: z.int().positive(),
    image: z.string(),
    persistence: z.strictObject({ storage: quantity }),
    resources: z.strictObject({
      requests: z.record(z.string(), quantity),
      limits: z.record(z.string(), quantity),
    }),
    rabbitmq: z.strictObject({ additionalConfig: z.string() }),
    tls: z.strictObject({ secretName: z.string() }).optional(),
    override: z.strictObject({
      statefulSet: z.strictObject({ spec: z.strictObject({ template: z.strictObject({ spec: pods }) }) }),
    }),
    affinity: z.unknown(),
  }),
  'barmancloud.cnpg.io/v1/ObjectStore': z.strictObject({
    retentionPolicy: z.string().regex(/^[1-9]\d*[dwm]$/),
    configuration: z.strictObject({
      destinationPath: z.url(),
      s3Credentials: z.strictObject({ accessKeyId: key, secretAccessKey: key }),
      wal: compression,
      data: compression,
    }),
  }),
}
