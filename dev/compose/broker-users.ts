/**
 * The one-off job `broker-users` of docker-compose.production.yml. It writes RabbitMQ's users, with hashes of their passwords, and
 * the setting that imports them at each start.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brokerServices, definitions } from '../servers/rabbitmq-users.ts'
import { variable } from './environment.ts'

const folder = variable('FOLDER')
const passwords = Object.fromEntries(
  brokerServices.map((name) => [name, variable(`${name.toUpperCase()}_RABBITMQ_PASSWORD`)]),
)
const administrator = { name: 'platter', password: variable('RABBITMQ_PASSWORD') }
const users = JSON.stringify(definitions(passwords, administrator), null, 2)
// RabbitMQ reads the files as another user.
writeFileSync(join(folder, 'definitions.json'), users, { mode: 0o644 })
writeFileSync(join(folder, 'rabbitmq.conf'), 'load_definitions = /etc/platter/definitions.json\n', {
  mode: 0o644,
})
