import type { IPodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec'
import type { Manifest } from './render.ts'

export type Labels = Readonly<Record<string, string>>

/** A Deployment, StatefulSet or Job, with its one container and the labels of its pods. */
export type Workload = ReturnType<typeof workloadsOf>[number]

const KINDS = ['Deployment', 'StatefulSet', 'Job']

/** Returns all workloads of the rendered manifests. `faultsOf` checks the types of their fields. */
export function workloadsOf(manifests: readonly Manifest[]) {
  return manifests
    .filter(({ kind }) => KINDS.includes(kind))
    .map(({ kind, metadata: { name }, spec }) => {
      const { template } = spec as { template: IPodTemplateSpec }
      const { metadata: { labels } = {}, spec: pod } = template
      const [container, ...others] = pod?.containers ?? []
      if (!labels || !pod || !container || others.length > 0)
        throw new Error(`${name} has no labels, or not one container`)
      return { name, kind, labels, pod, container }
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
  for (const { name, value, valueFrom } of container.env ?? []) {
    const given = valueFrom ? fromSecret(secrets, valueFrom.secretKeyRef) : (value ?? '')
    if (given === null) continue
    variables[name] = given.replaceAll(/\$\((\w+)\)/g, (reference, other: string) => {
      used.push(other)
      return variables[other] ?? reference
    })
  }
  return { variables, used }
}

type SecretKey = { name?: string; key: string; optional?: boolean }

/** Returns null for a missing optional value. */
function fromSecret(secrets: Secrets, reference: SecretKey | undefined): string | null {
  if (!reference) throw new Error('A variable is neither a text nor a key of a Secret')
  const { name = '', key, optional = false } = reference
  const value = secrets[name]?.[key]
  if (value === undefined && optional) return null
  if (value === undefined) throw new Error(`There is no Secret ${name} with the key ${key}`)
  return value
}
