import { lookup as resolveName, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { ConcurrencyLimit } from '#/limits/concurrency-limit.ts'

/** The maximum number of running lookups. start.sh gives libuv threads for one more: the names of PostgreSQL, RabbitMQ and services. */
export const LOOKUPS_AT_ONCE = 3
/** As long as the longest time limit for connecting to a third party. */
const START_WITHIN_MS = 3_000

/** Returns all addresses of a host name. */
export type AddressesOf = (hostname: string) => Promise<LookupAddress[]>

/**
 * Resolves the host names of third parties. Connections to one name share its running lookup, and other names wait above the limit.
 * A lookup blocks a thread of libuv and cannot be cancelled: glibc takes 10 s for a name whose server does not respond. Meanwhile the
 * names of PostgreSQL, RabbitMQ and services must resolve, or no order can be placed. Measured with such a server, for a name in
 * /etc/hosts that was looked up next:
 *
 * - 100 s after 20 lookups, of one name or of 20 names, with the four threads of Node;
 * - 2 ms after those of one name that share a lookup, but still 100 s after those of 20 names;
 * - 20 s after lookups of 50 names with 48 threads alone, and 10 s with 64;
 * - 1 ms after lookups of 500 names with the eight threads of start.sh and this function.
 */
export function sharedLookup(resolve: typeof resolveName): AddressesOf {
  const limit = new ConcurrencyLimit({ permits: LOOKUPS_AT_ONCE })
  const running = new Map<string, Promise<LookupAddress[]>>()

  async function start(hostname: string): Promise<LookupAddress[]> {
    using permit = await limit.waitAtMost(START_WITHIN_MS)
    // With the code of a name server that does not respond, the request counts as not sent.
    if (!permit)
      throw Object.assign(new Error('too many host names are being resolved'), { code: 'EAI_AGAIN' })
    return await new Promise((resolved, rejected) => {
      resolve(hostname, { all: true }, (error, addresses) => (error ? rejected(error) : resolved(addresses)))
    })
  }

  return (hostname) => {
    const known = running.get(hostname)
    if (known) return known
    const lookup = start(hostname).finally(() => running.delete(hostname))
    running.set(hostname, lookup)
    return lookup
  }
}

/**
 * The lookups of this process. All clients of third parties have one limit, because their lookups use the same threads. Alerts by
 * e-mail are outside of it: Nodemailer queries the name server without these threads, and uses one of them only if that fails.
 */
export const addressesOfThirdParty: AddressesOf = sharedLookup(resolveName)

/** Returns the option `lookup` of a connection. */
export const connectingBy =
  (addressesOf: AddressesOf): LookupFunction =>
  (hostname, { all }, callback) => {
    addressesOf(hostname).then(
      (addresses) => {
        const [first] = addresses
        if (all) callback(null, addresses)
        else callback(null, first?.address ?? '', first?.family)
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    )
  }
