/** Prints an `.env` with new secrets. If secrets already exist, it prints an error instead. */
import { givenSecrets, makeOwnSecrets, ownLimits } from './own-secrets.ts'

if (givenSecrets(process.env).length > 0) {
  // PostgreSQL and RabbitMQ keep the passwords of their first start.
  console.error(
    'Secrets already exist in .env or in the shell. Keep them: the servers would reject new ones.',
  )
  process.exitCode = 1
} else {
  // In production, services refuse the public default secrets. `console`: orders of a restaurant without a link must not go to a
  // simulated restaurant.
  const settings = { NODE_ENV: 'production', DEFAULT_RESTAURANT_LINK: 'console' }
  const variables = { ...settings, ...makeOwnSecrets(), ...ownLimits }
  console.log(
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  )
}
