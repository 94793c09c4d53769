import { readComposeFile, productionComposeFile } from '../../dev/servers/compose-file.ts'

/* Services of an additional Compose file for a rehearsal, beside docker-compose.production.yml. */

const services = readComposeFile({}, productionComposeFile)
export const imageOf = (name: string): string => services[name]?.image ?? ''

/** Payments uses the test server of Stripe on the host. `hosts`: further hosts. */
export const stripeOverlay = (port: number, ...hosts: readonly string[]): string => `  payments:
    environment: { STRIPE_URL: 'http://host.docker.internal:${port}' }
    extra_hosts: [${["'host.docker.internal:host-gateway'", ...hosts].join(', ')}]
`

/** The receiver of alerts is on the host. One folder of the operator's tool is a small disk. PostgreSQL may archive its WAL. */
export const HOST_AND_DISKS = `  postgres:
    volumes: ['./wal:/backup']
  orders:
    extra_hosts: ['host.docker.internal:host-gateway']
  platter:
    tmpfs: ['/small:size=20m']
`

export const AUTHORITY = {
  directory: 'https://authority.platter.lan/acme/local/directory',
  /** The certificate of the authority, in the folder of the installation. */
  file: './authority.pem',
  issuer: 'Rehearsal Authority',
}

/** A second Caddy is a certificate authority with an ACME directory, in the network of the first one. It stops afterwards. */
export const AUTHORITY_OVERLAY = `  authority:
    image: ${imageOf('caddy')}
    profiles: [authority]
    networks: { edge: { aliases: ['authority.platter.lan'] } }
    volumes: ['./authority.Caddyfile:/etc/caddy/Caddyfile:ro']
`

export const AUTHORITY_CADDYFILE = `{
	skip_install_trust
	pki {
		ca local {
			name "${AUTHORITY.issuer}"
		}
	}
}
authority.platter.lan {
	tls internal
	acme_server
}
`
