/**
 * Prints RabbitMQ's users with one password for all, for deploy/kubernetes/try-out:
 *   node dev/kubernetes/broker-users.ts development > deploy/kubernetes/try-out/rabbitmq-users.json
 */
import { brokerUsers } from './secrets.ts'

const [password] = process.argv.slice(2)
if (!password) throw new Error('Which password?')
console.log(brokerUsers(() => password)['definitions.json'])
