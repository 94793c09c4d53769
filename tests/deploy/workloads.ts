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

/** What runs: a Deployment, StatefulSet or Job, its one container and its pods' labels. */
export interface Workload {
  readonly name: string
  readonly kind: string
  readonly labels: Labels
  readonly pod: z.output<typeof Pod>['spec']
  readonly container: z.output<typeof Container>
}

const KINDS = ['Deployment', 'StatefulSet', 'Job']

/** Everything that runs, of what was rendered. */
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

/** The Secrets that were rendered, decoded. */
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
 * The variables that a container is started with, as the kubelet makes them: $(NAME) becomes what an earlier
 * variable says, and stays as it is where there is none. `used` are the names that only stand in others. Throws
 * when a Secret or a key of it is missing: such a pod never starts.
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

/** Null for one that is not there and need not be. */
function fromSecret(
  secrets: Secrets,
  { name, key, optional = false }: { name: string; key: string; optional?: boolean | undefined },
): string | null {
  const value = secrets[name]?.[key]
  if (value === undefined && optional) return null
  if (value === undefined) throw new Error(`There is no Secret ${name} with the key ${key}`)
  return value
}
