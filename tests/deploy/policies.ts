import { z } from 'zod'
import type { Manifest } from './render.ts'
import type { Labels } from './workloads.ts'

const Selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).default({}),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
    .default([]),
})
type Selector = z.output<typeof Selector>
const Peer = z.strictObject({
  podSelector: Selector.optional(),
  namespaceSelector: Selector.optional(),
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
})
const Port = z.strictObject({
  port: z.number(),
  endPort: z.number().optional(),
  protocol: z.string().optional(),
})
const Rule = z.strictObject({
  from: z.array(Peer).optional(),
  to: z.array(Peer).optional(),
  ports: z.array(Port).optional(),
})
type Rule = z.output<typeof Rule>
const Policy = z.object({
  spec: z.strictObject({
    podSelector: Selector,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z.array(Rule).default([]),
    egress: z.array(Rule).default([]),
  }),
})

/** Evaluates the NetworkPolicies of one namespace. It supports the features that the manifests use, and throws for all others. */
export function policiesOf(manifests: readonly Manifest[]) {
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map((manifest) => Policy.parse(manifest).spec)

  /** Returns the rules for a pod in one direction. Null: no policy selects the pod, so all connections are allowed. */
  const rulesFor = (pod: Labels, direction: 'Ingress' | 'Egress') => {
    const about = policies.filter(
      ({ podSelector, policyTypes }) => policyTypes.includes(direction) && selects(podSelector, pod),
    )
    if (about.length === 0) return null
    return about.flatMap((policy) => (direction === 'Ingress' ? policy.ingress : policy.egress))
  }
  return {
    /** Returns true if one pod may open a connection to the other, both in this namespace. */
    mayReach: (from: Labels, to: Labels, port: number): boolean =>
      lets(rulesFor(from, 'Egress'), to, port) && lets(rulesFor(to, 'Ingress'), from, port),
    /**
     * Returns true if a pod may open connections to all or some addresses outside the cluster. A link-local address is on its node.
     */
    mayLeave: (pod: Labels): boolean =>
      rulesFor(pod, 'Egress')?.some(
        ({ to }) => !to || to.some(({ ipBlock }) => ipBlock && !ipBlock.cidr.startsWith('169.254.')),
      ) ?? true,
    /** Returns true if a pod in another namespace, or a host outside the cluster, may open a connection to this pod. */
    mayBeReachedFromOutside: (pod: Labels): boolean =>
      rulesFor(pod, 'Ingress')?.some(
        ({ from }) => !from || from.some(({ ipBlock, namespaceSelector }) => ipBlock ?? namespaceSelector),
      ) ?? true,
  }
}

const EVERYTHING: Selector = { matchLabels: {}, matchExpressions: [] }

/** Returns true if a label selector selects a pod. */
const selects = ({ matchLabels, matchExpressions }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))

/** Returns true if a rule allows connections of a pod of this namespace at a port. */
const lets = (rules: readonly Rule[] | null, other: Labels, port: number) =>
  rules === null ||
  rules.some(
    ({ from, to, ports }) =>
      (!ports || ports.some(({ port: first, endPort = first }) => first <= port && port <= endPort)) &&
      (from ?? to ?? [{ podSelector: EVERYTHING }]).some(
        ({ podSelector, namespaceSelector }) =>
          podSelector !== undefined && !namespaceSelector && selects(podSelector, other),
      ),
  )
