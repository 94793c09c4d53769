import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer, type Server, type ServerOptions } from 'node:https'
import { join } from 'node:path'
import { reasonOf, type Log } from '#/telemetry/log.ts'

/** cert-manager renews a certificate weeks before it expires, and the kubelet writes the new files within two minutes. */
const RELOAD_INTERVAL_MS = 60_000

/** Reads the files of a Secret of type kubernetes.io/tls. The first one may contain intermediate certificates. */
const readCertificate = (directory: string) => ({
  cert: readFileSync(join(directory, 'tls.crt'), 'utf8'),
  key: readFileSync(join(directory, 'tls.key'), 'utf8'),
})

type Settings = { directory: string; log: Log; options: ServerOptions; reloadIntervalMs?: number }

/**
 * Creates an HTTPS server with the certificate in `directory`. A renewed certificate applies to new connections without a restart.
 * An unusable certificate is logged and the previous one stays in use, because the two files may be written one after the other.
 */
export function createHttpsServer(
  { directory, log, options, reloadIntervalMs = RELOAD_INTERVAL_MS }: Settings,
  handle: RequestListener,
): Server {
  let current = readCertificate(directory)
  const server = createServer({ ...options, ...current }, handle)
  // Closes the connection after a failed handshake. The handler of malformed requests would wait for the handshake before it
  // responds, and the connection would stay open.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy())
  const timer = setInterval(() => {
    try {
      const found = readCertificate(directory)
      if (found.cert === current.cert && found.key === current.key) return
      server.setSecureContext(found)
      current = found
      log.info({}, 'the renewed TLS certificate is in use')
    } catch (error) {
      log.warn(
        { reason: reasonOf(error) },
        'the renewed TLS certificate cannot be used; the previous one stays in use',
      )
    }
  }, reloadIntervalMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
  return server
}
