import { once } from 'node:events'
import { connect, createServer, Socket, type AddressInfo, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { limitConnections } from '#/connections.ts'

const sockets: Socket[] = []
const listening: Server[] = []

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of listening.splice(0)) server.close()
})

async function aServer(limits: { all: number; perAddress: number; proxies: string[] }) {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.write('welcome')
  })
  limitConnections(server, limits)
  listening.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** Returns whether the server greets a connection from that local address, or closes it. */
async function isAccepted(port: number, localAddress = '127.0.0.1'): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => socket.destroy())
  return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
}

const connectTimes = async (port: number, times: number, address?: string): Promise<boolean[]> => {
  const accepted: boolean[] = []
  for (let time = 0; time < times; time++) accepted.push(await isAccepted(port, address))
  return accepted
}

test('the connections of one address are limited, and another address can connect', async () => {
  const port = await aServer({ all: 100, perAddress: 2, proxies: [] })
  expect(await connectTimes(port, 3)).toEqual([true, true, false])
  expect(await connectTimes(port, 1, '127.0.0.2')).toEqual([true])
})

test('a connection that has ended releases its permit', async () => {
  const port = await aServer({ all: 100, perAddress: 1, proxies: [] })
  expect(await connectTimes(port, 2)).toEqual([true, false])
  sockets[0]!.destroy()
  await expect.poll(() => isAccepted(port)).toBe(true)
})

test.each([['127.0.0.0/8'], ['127.0.0.1']])(
  'the connections of a trusted proxy (%s) are not limited by address',
  async (proxy) => {
    const port = await aServer({ all: 100, perAddress: 1, proxies: [proxy] })
    expect(await connectTimes(port, 3)).toEqual([true, true, true])
  },
)

test('the connections of all addresses together are limited', async () => {
  const port = await aServer({ all: 2, perAddress: 100, proxies: ['127.0.0.1'] })
  expect(await connectTimes(port, 3)).toEqual([true, true, false])
})

test('the connections of one IPv6 network are limited', () => {
  const server = createServer()
  limitConnections(server, { all: 100, perAddress: 2, proxies: [] })
  const isClosed = (remoteAddress: string) => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
    server.emit('connection', socket)
    return socket.destroyed
  }
  const addresses = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2::3', '2001:db8:1:3::1']
  expect(addresses.map(isClosed)).toEqual([false, false, true, false])
})
