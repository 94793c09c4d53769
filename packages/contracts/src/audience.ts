import type { Principal } from '#/principal.ts'

/** The kind of principal that may call an operation. */
export type Audience = Principal['kind']

const PREFIXES = {
  application: '/publicapi/',
  restaurant: '/restaurantapi/',
  operator: '/operatorapi/',
  service: '/internal/',
} as const satisfies Record<Audience, string>

/** A path of the audience `A`. */
export type PathOf<A extends Audience> = `${(typeof PREFIXES)[A]}${string}`

/** Returns the audience of a path, by its prefix; undefined for a path outside of all interfaces. */
export const audienceOf = (path: string): Audience | undefined =>
  (Object.keys(PREFIXES) as Audience[]).find((audience) => path.startsWith(PREFIXES[audience]))

/** `audienceOf` for the type of a path. */
export type AudienceOf<Path extends string> = {
  [A in Audience]: Path extends PathOf<A> ? A : never
}[Audience]
