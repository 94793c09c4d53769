import { isIP } from 'node:net'
import { addressesOfThirdParty, connectingBy, Deadline, HTTP_1_ONLY } from '@platter/kit'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector, type Dispatcher } from 'undici'

/** The time limit for connecting; a restaurant has 10 s in total. */
const CONNECT_WITHIN_MS = 3_000
/** A larger response fails (OWASP API10). */
const MAX_RESPONSE_BYTES = 256 * 1024
/** The time limit for resolving the host name of a new link. */
const RESOLVE_WITHIN_MS = 2_000

/** Webhooks may not have this address. Nothing was sent. */
export class OutOfBounds extends Error {
  constructor() {
    super('the address is not public')
  }
}

/** Connections to the addresses that operators set for restaurants. */
export type Outgoing = {
  /** HTTP/1.1, without proxy or redirects. Rejects with OutOfBounds for an address that is not allowed. */
  dispatcher: Dispatcher
  /** Returns why the URL may not be called, as the continuation of "url …"; null if no reason is known. */
  faultOf(url: URL): Promise<string | null>
  close(): Promise<void>
}

/**
 * Connects to public addresses over https, and to the networks in `allowed` (CIDR) also over http. A connection has one lookup of its
 * host name, and is made only if all addresses are allowed. Thus the checked address is the connected address (DNS rebinding).
 */
export function outgoing(allowed: readonly string[], addressesOf = addressesOfThirdParty): Outgoing {
  const mayReach = boundsOf(allowed)
  const connectors = { 'https:': connector('https:'), 'http:': connector('http:') }
  const agent = new Agent({
    ...HTTP_1_ONLY,
    maxResponseSize: MAX_RESPONSE_BYTES,
    connect(options, callback) {
      const protocol = options.protocol === 'https:' ? 'https:' : 'http:'
      // An IP address is not resolved, so `lookup` would not check it.
      if (isIP(options.hostname) > 0 && !mayReach(options.hostname, protocol)) {
        callback(new OutOfBounds(), null)
        return
      }
      connectors[protocol](options, callback)
    },
  })

  function connector(protocol: Protocol) {
    const lookup = connectingBy(async (hostname) => {
      const addresses = await addressesOf(hostname)
      if (addresses.length > 0 && addresses.every(({ address }) => mayReach(address, protocol)))
        return addresses
      throw new OutOfBounds()
    })
    return buildConnector({ ...HTTP_1_ONLY, timeout: CONNECT_WITHIN_MS, lookup })
  }

  async function faultOf(url: URL): Promise<string | null> {
    if (url.username !== '' || url.password !== '') return 'contains a user name or a password'
    const addresses = await addressesIn(url)
    const isGood = (protocol: Protocol) =>
      addresses !== null && addresses.every((address) => mayReach(address, protocol))
    if (url.protocol !== 'https:') return isGood('http:') ? null : 'is not https'
    // The host name may be registered later. Each connection resolves it.
    return addresses === null || isGood('https:') ? null : 'leads to an address that is not public'
  }

  async function addressesIn({ hostname }: URL): Promise<string[] | null> {
    const plain = hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(plain) > 0) return [plain]
    const lookup = addressesOf(plain).catch(() => null)
    const addresses = await Deadline.in(RESOLVE_WITHIN_MS).race(lookup)
    return addresses?.map(({ address }) => address) ?? null
  }

  return { dispatcher: agent, faultOf, close: () => agent.destroy() }
}

type Protocol = 'https:' | 'http:'

/**
 * Returns the check of an address. An address is public unless an RFC reserves it. Reserved are loopback, private, link-local (with
 * the metadata services of clouds), carrier-grade NAT, multicast, documentation, and IPv6 that carries IPv4 (6to4, NAT64, Teredo).
 */
function boundsOf(allowed: readonly string[]) {
  const networks = allowed.map((network) => ipaddr.parseCIDR(withPrefix(network)))
  return function mayReach(text: string, protocol: Protocol): boolean {
    // Converts ::ffff:127.0.0.1 to 127.0.0.1.
    const address = ipaddr.process(text)
    if (networks.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits)))
      return true
    if (protocol !== 'https:' || address.range() !== 'unicast') return false
    return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
  }
}

/** All allocated addresses of IPv6 (RFC 4291, 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

const withPrefix = (network: string): string =>
  network.includes('/') ? network : `${network}/${isIP(network) === 4 ? 32 : 128}`
