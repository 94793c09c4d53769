import { Problem } from '@platter/kit'

/** What a client is told when a message cannot be published or is not answered; the reason is for the log. */
class Unavailable extends Problem {
  constructor(reason: string) {
    super('service-unavailable', 'A part of the service is not available. Please try again.', {
      cause: new Error(reason),
    })
  }
}

/** The message was not published, or (a dead letter) not confirmed. */
export class NotPublished extends Unavailable {}

/** No reply to a question in time. Questions only read, so nothing has happened. */
export class NoAnswer extends Unavailable {}
