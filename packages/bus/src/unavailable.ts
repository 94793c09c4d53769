import { Problem } from '@platter/kit'

/** The problem of a request whose message was not published or received no reply. `reason` is for the log. */
class Unavailable extends Problem {
  constructor(reason: string) {
    super('service-unavailable', 'A part of the service is not available. Please try again.', {
      cause: new Error(reason),
    })
  }
}

/** The message was not published or, for a dead letter, not confirmed by RabbitMQ. */
export class NotPublished extends Unavailable {}

/** A question received no reply in time. A question is a read, so it had no effect. */
export class NoReply extends Unavailable {}
