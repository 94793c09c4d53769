/**
 * Prints RabbitMQ's users. With an argument, the file of deploy/kubernetes/try-out with that password for all:
 *   node dev/kubernetes/broker-users.ts development > deploy/kubernetes/try-out/rabbitmq-users.json
 * Without one, the Secret of deploy/kubernetes/production with new passwords (docs/kubernetes.md, "RabbitMQ passwords"):
 *   node dev/kubernetes/broker-users.ts | kubectl replace -f -
 */
import { newPassword } from '../compose/random-secrets.ts'
import { brokerUsers, secret } from './secrets.ts'

const [given] = process.argv.slice(2)
console.log(
  given === undefined
    ? JSON.stringify(secret('rabbitmq-users', brokerUsers(newPassword)))
    : brokerUsers(() => given)['definitions.json'],
)
