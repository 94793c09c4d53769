import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Certificates = ReturnType<typeof makeCertificates>

/**
 * Creates a certificate authority and a certificate of servers with openssl, valid for two days, for these names and addresses.
 * `directory` is in the format of TLS_DIRECTORY, and `ca`, the certificate of the authority, in that of NODE_EXTRA_CA_CERTS.
 */
export function makeCertificates(folder: string, names = 'IP:127.0.0.1,DNS:localhost') {
  mkdirSync(folder, { recursive: true })
  const file = (name: string) => join(folder, name)
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: 'pipe' })
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'
  openssl(`req -x509 ${newKey} -days 2 -subj /CN=Test-CA -keyout ca.key -out ca.crt`)
  openssl(`req -new ${newKey} -subj /CN=server -keyout tls.key -out tls.csr`)
  writeFileSync(file('extensions'), `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`)
  const authority = '-CA ca.crt -CAkey ca.key -CAcreateserial'
  openssl(`x509 -req -in tls.csr ${authority} -days 2 -extfile extensions -out tls.crt`)
  return { directory: folder, ca: file('ca.crt'), certificate: file('tls.crt'), key: file('tls.key') }
}

/** Copies a file for one user, because PostgreSQL rejects a key that others may read. */
export function copyFor(user: number, from: string, to: string): void {
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  chownSync(to, user, user)
}
