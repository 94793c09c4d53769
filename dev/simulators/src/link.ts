/*
 * How restaurants are linked to the simulators. No import: the launcher, the jobs of docker-compose.yml and tests use it.
 */

/** What a simulated restaurant does with an order. */
export const behaviours = ['accepts', 'refuses', 'slow', 'silent', 'unreachable'] as const
export type Behaviour = (typeof behaviours)[number]

/** Signs deliveries to the simulators. It is public: the simulators have nothing to protect. */
export const SIMULATORS_SECRET = 'whsec_cGxhdHRlci1kZXZlbG9wbWVudC1vbmx5LXNlY3JldCE='

/** The body of put-restaurant-link for a simulated restaurant. `simulators` is the base URL of the process. */
export const simulatorLink = (
  simulators: string,
  behaviour: Behaviour,
  reports: 'detailed' | 'coarse' = 'detailed',
) => ({ kind: 'webhook', url: `${simulators}/${behaviour}`, secret: SIMULATORS_SECRET, reports }) as const

/** DEFAULT_RESTAURANT_LINK of the orders service for development: every restaurant without a link accepts. */
export function defaultSimulatorLink(simulators: string): string {
  const url = new URL(`${simulators}/accepts`)
  url.password = encodeURIComponent(SIMULATORS_SECRET)
  return url.href
}
