import { Problem } from '@platter/kit'

/**
 * The problem of a request whose message was not published, was not confirmed by RabbitMQ, or received no reply in time. A question
 * is a read, so it had no effect. `reason` is for the log.
 */
export class Unavailable extends Problem {
  constructor(reason: string) {
    super('service-unavailable', 'A part of the service is not available. Please try again.', {
      cause: new Error(reason),
    })
  }
}
