/**
 * Prints an `.env` with secrets of one's own in the place of docker-compose.yml's defaults, which everybody knows.
 */
import { hashAccessKey, makeAccessKey } from '@platter/kit/access-key'
import { randomBytes } from 'node:crypto'
import { Config as Payments } from '../../services/payments/src/config.ts'
import { databaseServices } from '../stack/services.ts'

// Letters and digits only: they become parts of URLs.
const password = () => randomBytes(24).toString('hex')
const passwords = ['postgres', 'rabbitmq', 'redis', ...databaseServices].map(
  (name) => [`${name.toUpperCase()}_PASSWORD`, password()] as const,
)
const operatorKey = makeAccessKey('live')
const secrets = {
  // From here on a secret that everybody knows is refused.
  NODE_ENV: 'production',
  INTERNAL_SECRET: randomBytes(32).toString('hex'),
  PASSWORD_PEPPER: randomBytes(32).toString('hex'),
  OPERATOR_KEY: operatorKey,
  OPERATOR_KEY_HASH: hashAccessKey(operatorKey),
  ...Object.fromEntries(passwords),
}
// Nor are limits then what test cards need.
const limits = Payments.pick({
  CARDS_PER_USER: true,
  DECLINES_PER_CARD: true,
  DECLINES_PER_ADDRESS: true,
  DECLINES_PER_APPLICATION: true,
}).parse({})
for (const [name, value] of Object.entries({ ...secrets, ...limits })) console.log(`${name}=${value}`)
