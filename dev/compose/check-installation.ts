/**
 * The one-off job `secrets` of docker-compose.production.yml: rejects an `.env` that is missing, empty or incomplete, before
 * PostgreSQL and RabbitMQ store the passwords of their first start.
 */
import { installationFaults } from './installation.ts'

const faults = installationFaults(process.env)
if (faults.length > 0) {
  console.error(`.env is incomplete, so nothing starts:\n${faults.map((fault) => `  ${fault}`).join('\n')}
Run "docker compose -f docker-compose.production.yml run --rm setup", which adds what is missing and changes nothing else.`)
  process.exitCode = 1
}
