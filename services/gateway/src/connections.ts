import { BlockList, isIPv6, type Server, type Socket } from 'node:net'

type Limits = {
  all: number
  ofAddress: number
  /** Addresses and CIDR ranges that any number of clients come through. */
  proxies: readonly string[]
}

/**
 * Limits how many connections there are, and how many of one address: otherwise one client with nothing to say takes
 * every descriptor that there is. What is too much is closed before a byte of it is read.
 */
export function limitConnections(server: Server, { all, ofAddress, proxies }: Limits): void {
  const isProxy = matcher(proxies)
  const open = new Map<string, number>()
  server.maxConnections = all
  server.prependListener('connection', (socket: Socket) => {
    const address = plain(socket.remoteAddress ?? '')
    if (isProxy(address)) return
    const count = open.get(address) ?? 0
    if (count >= ofAddress) return void socket.destroy()
    open.set(address, count + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left === 0) open.delete(address)
      else open.set(address, left)
    })
  })
}

/** IPv4 as a socket of IPv6 shows it. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

function matcher(list: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList()
  for (const one of list) {
    const [network = '', bits] = one.split('/')
    if (bits === undefined) proxies.addAddress(network, family(network))
    else proxies.addSubnet(network, Number(bits), family(network))
  }
  return (address) => address !== '' && proxies.check(address, family(address))
}
