import { lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector, type Dispatcher } from 'undici'

/** To connect; a restaurant has ten seconds for everything. */
const CONNECT_WITHIN_MS = 3_000
/** Whatever is larger is no answer (reliability 4.2, API10). */
const MAX_ANSWER_BYTES = 256 * 1024
/** Whoever sets a link does not wait longer for a name to be found. */
const RESOLVE_WITHIN_MS = 2_000

/** Where the link leads is not for us to call. Nothing was sent. */
export class OutOfBounds extends Error {
  constructor() {
    super('the address is not public')
  }
}

/** The way out to addresses that somebody else has written down. */
export type Outgoing = {
  /** Connects to what it may reach, over HTTP/1.1, by no proxy; follows no redirect. Rejects with OutOfBounds for anything else. */
  dispatcher: Dispatcher
  /** What keeps the URL from being called, in words that go on "url …"; null when nothing is known to. */
  faultOf(url: URL): Promise<string | null>
  close(): Promise<void>
}

/**
 * Public addresses by https, and whatever lies in the networks `allowed` (CIDR), by http as well. A name is
 * resolved once for a connection, and only if all its addresses are good is one of them connected to: what a
 * check saw and what is called cannot differ (DNS rebinding). `resolve` is `dns.lookup` but in tests.
 */
export function outgoing(allowed: readonly string[], resolve: typeof resolveName = resolveName): Outgoing {
  const mayReach = boundsOf(allowed)
  const connectors = { 'https:': connector('https:'), 'http:': connector('http:') }
  const agent = new Agent({
    maxResponseSize: MAX_ANSWER_BYTES,
    connect(options, callback) {
      const protocol = options.protocol === 'https:' ? 'https:' : 'http:'
      // No name, so nobody would look it up.
      if (isIP(options.hostname) > 0 && !mayReach(options.hostname, protocol)) {
        callback(new OutOfBounds(), null)
        return
      }
      connectors[protocol](options, callback)
    },
  })

  function connector(protocol: Protocol) {
    const lookup: LookupFunction = (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '')
        const [first] = addresses
        if (!first || !addresses.every(({ address }) => mayReach(address, protocol)))
          callback(new OutOfBounds(), '')
        else if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      })
    }
    return buildConnector({ timeout: CONNECT_WITHIN_MS, allowH2: false, lookup })
  }

  async function faultOf(url: URL): Promise<string | null> {
    if (url.username !== '' || url.password !== '') return 'has a user name or a password in it'
    const addresses = await addressesOf(url)
    const isGood = (protocol: Protocol) =>
      addresses !== null && addresses.every((address) => mayReach(address, protocol))
    if (url.protocol !== 'https:') return isGood('http:') ? null : 'is not https'
    // A name that nobody knows today may be known tomorrow: each connection looks again.
    return addresses === null || isGood('https:') ? null : 'leads to an address that is not public'
  }

  async function addressesOf({ hostname }: URL): Promise<string[] | null> {
    const plain = hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(plain) > 0) return [plain]
    return new Promise((done) => {
      const timer = setTimeout(done, RESOLVE_WITHIN_MS, null)
      resolve(plain, { all: true }, (error, addresses) => {
        clearTimeout(timer)
        done(error ? null : addresses.map(({ address }) => address))
      })
    })
  }

  return { dispatcher: agent, faultOf, close: () => agent.destroy() }
}

type Protocol = 'https:' | 'http:'

/**
 * What counts as public is everything that no RFC has set apart: not loopback, private, link-local (where clouds keep
 * their metadata), carrier-grade NAT, multicast, documentation, nor an IPv6 that carries an IPv4 (6to4, NAT64, Teredo).
 */
function boundsOf(allowed: readonly string[]) {
  const networks = allowed.map((network) => ipaddr.parseCIDR(withPrefix(network)))
  return function mayReach(text: string, protocol: Protocol): boolean {
    // ::ffff:127.0.0.1 is 127.0.0.1.
    const address = ipaddr.process(text)
    if (networks.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits)))
      return true
    if (protocol !== 'https:' || address.range() !== 'unicast') return false
    return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST)
  }
}

/** All of IPv6 that is given out (RFC 4291, 2.4); the rest is set apart even where no RFC says for what. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

const withPrefix = (network: string): string =>
  network.includes('/') ? network : `${network}/${isIP(network) === 4 ? 32 : 128}`
