import { z } from 'zod'
import type { Manifest } from './render.ts'

const Variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .object({
      secretKeyRef: z.object({ name: z.string(), key: z.string(), optional: z.boolean().optional() }),
    })
    .optional(),
})
const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  env: z.array(Variable).default([]),
})
const Pod = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({ containers: z.array(Container).length(1) }),
})
export type Labels = Readonly<Record<string, string>>

/** A Deployment, StatefulSet or Job, with its one container and the labels of its pods. */
export type Workload = {
  readonly name: string
  readonly kind: string
  readonly labels: Labels
  readonly pod: z.output<typeof Pod>['spec']
  readonly container: z.output<typeof Container>
}

const KINDS = ['Deployment', 'StatefulSet', 'Job']

/** Returns all workloads of the rendered manifests. */
export function workloadsOf(manifests: readonly Manifest[]): readonly Workload[] {
  return manifests
    .filter(({ kind }) => KINDS.includes(kind))
    .map(({ kind, metadata, spec }) => {
      const { template } = z.looseObject({ template: Pod }).parse(spec)
      const [container] = template.spec.containers
      if (!container) throw new Error(`${metadata.name} has no container`)
      return { name: metadata.name, kind, labels: template.metadata.labels, pod: template.spec, container }
    })
}

/** Values by Secret and key. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Returns the rendered Secrets, decoded. */
export function secretsOf(manifests: readonly Manifest[]): Secrets {
  const secrets = manifests.filter(({ kind }) => kind === 'Secret')
  return Object.fromEntries(
    secrets.map(({ metadata, data }) => [
      metadata.name,
      Object.fromEntries(
        Object.entries(data as Labels).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
      ),
    ]),
  )
}

/**
 * Returns the variables of a container, as the kubelet computes them. $(NAME) becomes the value of an earlier variable, and stays
 * unchanged without one. `used` has the names that only occur in other values. Throws if a Secret or a key of it is missing,
 * because such a pod never starts.
 */
export function variablesOf(
  { container }: Workload,
  secrets: Secrets,
): { variables: Record<string, string>; used: readonly string[] } {
  const variables: Record<string, string> = {}
  const used: string[] = []
  for (const { name, value, valueFrom } of container.env) {
    const given = valueFrom ? fromSecret(secrets, valueFrom.secretKeyRef) : (value ?? '')
    if (given === null) continue
    variables[name] = given.replaceAll(/\$\((\w+)\)/g, (reference, other: string) => {
      used.push(other)
      return variables[other] ?? reference
    })
  }
  return { variables, used }
}

/** Returns null for a missing optional value. */
function fromSecret(
  secrets: Secrets,
  { name, key, optional = false }: { name: string; key: string; optional?: boolean | undefined },
): string | null {
  const value = secrets[name]?.[key]
  if (value === undefined && optional) return null
  if (value === undefined) throw new Error(`There is no Secret ${name} with the key ${key}`)
  return value
}
