import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { connect, isIP, isIPv4, isIPv6, type Socket } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createServer } from 'node:tls'
import { findProgram, type ProcessHost } from '../process/host.ts'
import { readIfPresent } from '../process/identity.ts'
import { freePortFrom } from '../process/ports.ts'
import { runToEnd } from '../process/run.ts'
import type { Reporter } from '../progress.ts'

/*
 * `npm start -- --host`: the gateway for other devices of the network, over https only. Over plain http, access keys would cross
 * the network in clear, and a browser would not allow the console to sign in.
 */

/** The gateway over https. */
export type HttpsFront = {
  /** One URL for each address of this machine. */
  readonly urls: readonly string[]
  /** The file of the certificate, which devices may install as trusted. */
  readonly certificate: string
  /** Its SHA-256, as browsers show it. */
  readonly fingerprint: string
  stop(): Promise<void>
}

type HttpsSettings = {
  /** The run directory. */
  readonly directory: string
  /** An address of this machine, or 0.0.0.0 or :: for all of them. */
  readonly address: string
  /** The port of the gateway on 127.0.0.1. */
  readonly gateway: number
  readonly host: ProcessHost
  readonly reporter: Reporter
  readonly signal: AbortSignal | undefined
}

/** The first port to try. */
const usualPort = 8443
/** Apple devices reject a certificate that is valid for more than 825 days. */
const validDays = 365
/** A certificate that expires within this time is replaced. */
const spareMs = 7 * 86_400_000
const opensslWithinMs = 30_000

/** Throws for an address that this machine does not have. */
export function checkAddress(address: string): void {
  if (isWildcard(address) || ownAddresses().includes(address)) return
  throw new Error(
    `--host takes an address of this machine (${ownAddresses().join(', ') || 'none in a network'}) or 0.0.0.0 for all, not "${address}"`,
  )
}

/** Listens for https and forwards all bytes to the gateway. Creates a self-signed certificate if there is none. */
export async function startHttps(settings: HttpsSettings): Promise<HttpsFront> {
  return settings.reporter.step('Gateway over https', async (step) => {
    const { key, certificate } = await ensureCertificate(settings)
    const port = await freePortFrom(usualPort, settings.address)
    const sockets = new Set<Socket>()
    const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (client) => {
      sockets.add(client)
      client.once('close', () => sockets.delete(client))
      // Either end may close at any time; then the pipeline closes the other connection too.
      pipeline(client, connect(settings.gateway, '127.0.0.1'), client, () => undefined)
    })
    server.listen(port, settings.address)
    await once(server, 'listening')
    step.result(`port ${port}`)
    const stop = async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    }
    const { fingerprint256: fingerprint } = new X509Certificate(readFileSync(certificate))
    return {
      urls: addressesOf(settings.address).map((one) => urlOf(one, port)),
      certificate,
      fingerprint,
      stop,
    }
  })
}

const urlOf = (address: string, port: number) =>
  `https://${isIPv6(address) ? `[${address}]` : address}:${port}`

const isWildcard = (address: string) => address === '0.0.0.0' || address === '::'

/** Returns the addresses that a listener at this address serves: 0.0.0.0 serves only IPv4, :: serves all. */
function addressesOf(address: string): string[] {
  if (!isWildcard(address)) return [address]
  return ownAddresses().filter((one) => address === '::' || isIPv4(one))
}

/**
 * Returns the addresses of this machine in its networks. Link-local IPv6 addresses are excluded, because they need the name of an
 * interface.
 */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .filter(({ internal, address }) => !internal && isIP(address) !== 0 && !address.startsWith('fe80:'))
    .map(({ address }) => address)
}

/** Keeps the certificate between starts, for devices that have accepted it. */
async function ensureCertificate({ directory, address, host, signal }: HttpsSettings) {
  const folder = join(directory, 'https')
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const addresses = addressesOf(address)
  if (isGood(readIfPresent(certificate), addresses)) return { key, certificate }
  const openssl = findProgram('openssl', '/usr/local/bin')
  if (openssl === null)
    throw new Error(
      '--host needs openssl to create a certificate, and it is not installed. Install it (apt-get install openssl).',
    )
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const names = [...addresses.map((one) => `IP:${one}`), 'IP:127.0.0.1', 'DNS:localhost', `DNS:${hostname()}`]
  const args = [
    ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -sha256 -subj /CN=Platter'.split(
      ' ',
    ),
    ...`-days ${validDays} -addext extendedKeyUsage=serverAuth -addext subjectAltName=${names.join(',')}`.split(
      ' ',
    ),
    '-keyout',
    key,
    '-out',
    certificate,
  ]
  const log = join(host.logs, 'https.log')
  const spec = { name: 'openssl', command: openssl, args, env: process.env, cwd: folder, log }
  await runToEnd(host, spec, { withinMs: opensslWithinMs, signal })
  return { key, certificate }
}

/** Returns true for a certificate that covers these addresses and does not expire soon. */
function isGood(pem: string | null, addresses: readonly string[]): boolean {
  if (pem === null) return false
  const certificate = new X509Certificate(pem)
  return (
    certificate.validToDate.getTime() - Date.now() > spareMs &&
    addresses.every((address) => certificate.checkIP(address) !== undefined)
  )
}
