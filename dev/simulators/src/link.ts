/* The links of restaurants to the simulators. Imports nothing, because the jobs of docker-compose.yml use it too. */

/** The behaviours of simulated restaurants. */
export const behaviours = ['accepts', 'refuses', 'slow', 'silent', 'unreachable'] as const
export type Behaviour = (typeof behaviours)[number]

/** Signs deliveries to the simulators. It is public: the simulators have nothing to protect. */
export const SIMULATORS_SECRET = 'whsec_cGxhdHRlci1kZXZlbG9wbWVudC1vbmx5LXNlY3JldCE='

/** Returns the body of put-restaurant-link for a simulated restaurant. `simulators` is the base URL of the process. */
export const simulatorLink = (
  simulators: string,
  behaviour: Behaviour,
  reports: 'detailed' | 'coarse' = 'detailed',
) => ({ kind: 'webhook', url: `${simulators}/${behaviour}`, secret: SIMULATORS_SECRET, reports }) as const

/** Returns DEFAULT_RESTAURANT_LINK for development: every restaurant without a link accepts. */
export function defaultSimulatorLink(simulators: string): string {
  const url = new URL(`${simulators}/accepts`)
  url.password = encodeURIComponent(SIMULATORS_SECRET)
  return url.href
}
