import type { INetworkPolicySpec } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicySpec'
import type { Manifest } from './render.ts'
import type { Labels } from './workloads.ts'

type Ingress = NonNullable<INetworkPolicySpec['ingress']>[number]
type Egress = NonNullable<INetworkPolicySpec['egress']>[number]
type Rule = Ingress & Egress
type Port = NonNullable<Rule['ports']>[number]
type Selector = NonNullable<INetworkPolicySpec['podSelector']>

/**
 * Evaluates the NetworkPolicies of one namespace. It supports the features that the manifests use, and throws for all others. `faultsOf`
 * checks the fields.
 */
export function policiesOf(manifests: readonly Manifest[]) {
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec as INetworkPolicySpec)

  /** Returns the rules for a pod in one direction. Null: no policy selects the pod, so all connections are allowed. */
  const rulesFor = (pod: Labels, direction: 'Ingress' | 'Egress'): readonly Rule[] | null => {
    const about = policies.filter(({ podSelector = {}, policyTypes }) => {
      if (!policyTypes) throw new Error('A NetworkPolicy has no policyTypes')
      return policyTypes.includes(direction) && selects(podSelector, pod)
    })
    if (about.length === 0) return null
    return about.flatMap(({ ingress = [], egress = [] }) => (direction === 'Ingress' ? ingress : egress))
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

/** Returns true if a label selector selects a pod. */
const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => {
    if (operator !== 'In') throw new Error(`A selector has the operator ${operator}`)
    return values.includes(labels[key] ?? '')
  })

/** Returns true if a rule allows connections of a pod of this namespace at a port. */
const lets = (rules: readonly Rule[] | null, other: Labels, port: number) =>
  rules === null ||
  rules.some(
    ({ from, to, ports }) =>
      (!ports || ports.some((range) => includes(range, port))) &&
      // Without peers, a rule applies to every pod.
      (from ?? to ?? [{ podSelector: {} }]).some(
        ({ podSelector, namespaceSelector }) =>
          podSelector !== undefined && !namespaceSelector && selects(podSelector, other),
      ),
  )

function includes({ port: first, endPort = Number(first) }: Port, port: number): boolean {
  if (typeof first !== 'number') throw new Error(`A rule has the port ${first}`)
  return first <= port && port <= endPort
}
