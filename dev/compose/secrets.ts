/**
 * Prints an `.env` with secrets of one's own: all of it, or nothing and why.
 */
import { givenSecrets, makeOwnSecrets, ownLimits } from './own-secrets.ts'

if (givenSecrets(process.env).length > 0) {
  // PostgreSQL and RabbitMQ keep the passwords that they were first started with.
  console.error(
    'There are secrets of your own already, in .env or in the shell. The servers would refuse new ones: keep them.',
  )
  process.exitCode = 1
} else {
  // With this, services refuse a secret that everybody knows.
  // No simulated restaurant takes the orders of one that nobody has linked.
  const settings = { NODE_ENV: 'production', DEFAULT_RESTAURANT_LINK: 'console' }
  const variables = { ...settings, ...makeOwnSecrets(), ...ownLimits }
  console.log(
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  )
}
