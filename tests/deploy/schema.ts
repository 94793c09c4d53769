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
  const own = ownSchemas[`${manifest.apiVersion}/${manifest.kind}`]
  if (own) {
    const faults = own.safeParse(manifest).error?.issues ?? []
    return faults.map(({ path, message }) => `/${path.join('/')} ${message}`)
  }
  const validate = await validatorOf(manifest)
  if (validate === null) return [`/kind ${manifest.apiVersion} has no ${manifest.kind}`]
  const seen = watch(manifest)
  try {
    validate(seen.document)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
  return seen.unread().map((path) => `${path} is no field of it`)
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
 * The schemas accept unknown fields, and a mistyped field is the most common mistake. A compiled schema reads all fields that it
 * knows, and no others. A field that it does not read is therefore unknown.
 */
function watch(document: object) {
  const read = new WeakMap<object, Set<string>>()
  const wrapped = new WeakMap<object, object>()
  const wrap = <T extends object>(target: T): T => {
    const known = wrapped.get(target)
    if (known) return known as T
    const fields = new Set<string>()
    read.set(target, fields)
    const proxy = new Proxy(target, {
      get(of, field, receiver) {
        const value: unknown = Reflect.get(of, field, receiver)
        if (typeof field === 'string') fields.add(field)
        return typeof value === 'object' && value !== null ? wrap(value) : value
      },
    })
    wrapped.set(target, proxy)
    return proxy
  }
  const unread = (of: object, path: string): string[] =>
    Object.entries(of).flatMap(([field, value]) => {
      const here = `${path}/${field}`
      if (!read.get(of)?.has(field)) return [here]
      return typeof value === 'object' && value !== null ? unread(value as object, here) : []
    })
  return { document: wrap(document), unread: () => unread(document, '') }
}

const quantity = z.string().regex(/^\d+(\.\d+)?(m|Ki|Mi|Gi|Ti|k|M|G|T)?$/)
const key = z.strictObject({ name: z.string(), key: z.string() })
const metadata = z.strictObject({
  name: z.string(),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
})
const mount = z.strictObject({ name: z.string(), mountPath: z.string(), readOnly: z.boolean() })
const compression = z.strictObject({ compression: z.enum(['gzip', 'bzip2', 'snappy']) })

/** These records contain only the fields in use. Look up a further field in the operator's reference, then add it. */
const ownSchemas: Readonly<Record<string, z.ZodType>> = {
  'rabbitmq.com/v1beta1/RabbitmqCluster': z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata,
    spec: z.strictObject({
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
        statefulSet: z.strictObject({
          spec: z.strictObject({
            template: z.strictObject({
              spec: z.strictObject({
                containers: z.array(
                  z.strictObject({ name: z.literal('rabbitmq'), volumeMounts: z.array(mount) }),
                ),
                volumes: z.array(
                  z.strictObject({
                    name: z.string(),
                    secret: z.strictObject({
                      secretName: z.string(),
                      items: z.array(z.strictObject({ key: z.string(), path: z.string() })),
                    }),
                  }),
                ),
              }),
            }),
          }),
        }),
      }),
      affinity: z.strictObject({
        podAntiAffinity: z.strictObject({
          requiredDuringSchedulingIgnoredDuringExecution: z.array(
            z.strictObject({
              topologyKey: z.string(),
              labelSelector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
            }),
          ),
        }),
      }),
    }),
  }),
  'barmancloud.cnpg.io/v1/ObjectStore': z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata,
    spec: z.strictObject({
      retentionPolicy: z.string().regex(/^[1-9]\d*[dwm]$/),
      configuration: z.strictObject({
        destinationPath: z.url(),
        s3Credentials: z.strictObject({ accessKeyId: key, secretAccessKey: key }),
        wal: compression,
        data: compression,
      }),
    }),
  }),
}
