/** Timeouts within one request, in milliseconds. request-times.unit.test.ts states how they depend on one another. */
export const requestTimes = {
  /**
   * The deadline of a request, from its arrival at the gateway. The client receives a response by then, even if a dependency is
   * unavailable.
   */
  deadline: 10_000,
  /**
   * The part of the deadline in which the gateway relays the response: much longer than this network hop takes on an idle machine.
   */
  relay: 250,
  /**
   * The part of the deadline in which send-order responds. With less time left it accepts no order, and it stops waiting for its
   * saga 8 s after arrival. It then marks the order at PROCESSING as returned to its client, reads it and renders it.
   */
  response: 1_750,
  /** The gateway's request to accounts for the principal of an access key. Longer than a standstill of the machine, like `connection`. */
  accessKey: 3_500,
  /** A question to catalog or accounts. Two run in sequence if the zone depends on a saved address. */
  question: 2_000,
  /**
   * Acquiring a connection to PostgreSQL. A machine may stand still for 3 s, and the timer of the pool would fire before the response
   * of PostgreSQL is read.
   */
  connection: 4_500,
  /** A statement of PostgreSQL. */
  statement: 5_000,
  /** The exchange of a card for a token by payments. */
  tokenize: 8_000,
  /** A request to the payment processor. */
  processor: 6_000,
  /** Reading an expired card at the processor, within the question for the recipient of an order. */
  readCard: 1_200,
  /**
   * The reply timeout of a command to payments. A republished command may arrive while the first one still waits for the processor.
   * That is harmless: both use the same row and the same idempotency key.
   */
  paymentReply: 2_500,
  /** The reply timeout of accounts.save, for which no client waits. */
  saveReply: 5_000,
  /** A stopping process closes connections that are still in use after this time. */
  drain: 8_500,
  /** A stopping process exits after this time in any case. */
  exit: 10_000,
}
