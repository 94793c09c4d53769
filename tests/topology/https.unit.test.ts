import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { connect as connectPlain, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, rootCertificates, setDefaultCACertificates } from 'node:tls'
import { createApp, createLog, internalCaller, Replicas, type App } from '@platter/kit'
import { createHttpsServer } from '@platter/kit/http/https-server'
import { ResolveAccessKey } from '@platter/contracts'
import { rejectMalformed } from '@platter/kit/http/malformed-requests'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { limitConnections } from '../../services/gateway/src/connections.ts'
import { makeCertificates, type Certificates } from './certificates.ts'

const log = createLog('test', 'silent')
let root: string
let good: Certificates
let stranger: Certificates
const apps: App[] = []

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'platter-https-'))
  good = makeCertificates(join(root, 'good'))
  stranger = makeCertificates(join(root, 'stranger'))
  setDefaultCACertificates([...rootCertificates, readFileSync(good.ca, 'utf8')])
})
afterAll(() => {
  setDefaultCACertificates([...rootCertificates])
  rmSync(root, { recursive: true })
})
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()))
})

async function listen(app: App): Promise<number> {
  apps.push(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** Returns the serial number of the certificate that a server presents, from any authority. */
async function readSerialNumber(port: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

test('a renewed certificate takes effect without a restart; a new key alone has no effect', async () => {
  const directory = join(root, 'mounted')
  cpSync(good.directory, directory, { recursive: true })
  const server = createHttpsServer({ directory, log, options: {}, reloadIntervalMs: 10 }, () => undefined)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const before = await readSerialNumber(port)
  const set = vi.spyOn(server, 'setSecureContext')
  cpSync(stranger.key, join(directory, 'tls.key'))
  await vi.waitFor(() => expect(set).toHaveBeenCalled())
  expect(await readSerialNumber(port)).toBe(before)
  cpSync(stranger.certificate, join(directory, 'tls.crt'))
  await vi.waitFor(async () => expect(await readSerialNumber(port)).not.toBe(before))
  server.close()
})

test('a request in clear text to a service with a certificate gets no response', async () => {
  const app = createApp(log, { tlsDirectory: good.directory })
  const socket = connectPlain(await listen(app), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString()))
  socket.on('error', () => undefined)
  socket.write('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(socket, 'close')
  // The response is a TLS alert without a status line.
  expect(received).not.toContain('HTTP/1.1')
})

test('a connection without a handshake is closed after handshakeTimeout', async () => {
  const options = { handshakeTimeout: 20 }
  const server = createHttpsServer({ directory: good.directory, log, options }, () => undefined)
  server.on('clientError', rejectMalformed)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connectPlain((server.address() as AddressInfo).port, '127.0.0.1').resume()
  await once(socket, 'close')
  expect(socket.bytesRead).toBe(0)
  server.close()
})

test('a connection above the limit of an address is closed before its handshake', async () => {
  const app = createApp(log, { tlsDirectory: good.directory })
  app.get('/', async () => ({}))
  limitConnections(app.server, { all: 10, perAddress: 1, proxies: [] })
  const port = await listen(app)
  const first = connect({ port, host: '127.0.0.1' })
  await once(first, 'secureConnect')
  const [error] = (await once(connect({ port, host: '127.0.0.1' }), 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNRESET')
  first.destroy()
  await vi.waitFor(async () => expect((await fetch(`https://127.0.0.1:${port}/`)).status).toBe(200))
})

test('a replica with a certificate of an unknown authority gets no request, and another replica is tried', async () => {
  const reached: string[] = []
  const replica = async (name: string, { directory }: Certificates) => {
    const app = createApp(log, { tlsDirectory: directory })
    app.post(ResolveAccessKey.path, async () => {
      reached.push(name)
      return {}
    })
    return `https://127.0.0.1:${await listen(app)}`
  }
  const urls = [await replica('stranger', stranger), await replica('good', good)]
  const replicas = new Replicas(urls)
  const call = internalCaller({ service: 'orders', secrets: ['x'.repeat(32)], replicas, timeoutMs: 5_000 })
  for (const id of ['a', 'b', 'c'])
    await call(ResolveAccessKey, { hash: '0'.repeat(64) }, { requestId: id }).catch(() => undefined)
  expect(reached).toEqual(['good', 'good', 'good'])
  await replicas.close()
})
