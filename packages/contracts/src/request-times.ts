/**
 * The times within one request, in milliseconds. Numbers that depend on one another stand here, and
 * request-times.unit.test.ts states how.
 */
export const requestTimes = {
  /** The deadline of a request, counted from its arrival at the gateway: the client is answered by then, whatever is unavailable. */
  deadline: 10_000,
  /** The gateway keeps so much of it, to relay the answer: far more than the hop takes, for a machine that is busy. */
  relay: 250,
  /**
   * send-order keeps so much of it for its answer. It is no longer accepted with less than that left, and stops waiting for its
   * saga then, 8 s after its arrival: the order at PROCESSING is marked as answered, read and rendered.
   */
  answer: 1_750,
  /** The gateway asks accounts whose access key it is. */
  accessKey: 2_000,
  /** A question to catalog or accounts. Two follow one another when the zone depends on a saved address. */
  question: 2_000,
  /** PostgreSQL gives a connection. */
  connection: 2_000,
  /** PostgreSQL answers a statement. */
  statement: 5_000,
  /** The exchange of a card for a token by payments. */
  tokenize: 8_000,
  /** A call to the payment processor. */
  processor: 6_000,
  /**
   * The saga republishes a command to payments whose reply has not arrived. It may reach payments while the first one waits for
   * the processor, and is harmless then: same row, same idempotency key.
   */
  paymentReply: 2_500,
  /** The same for accounts.save, for which no client waits. */
  saveReply: 5_000,
  /** A process that stops cuts connections that are still busy after this. */
  drain: 8_500,
  /** And it ends after this in any case. */
  exit: 10_000,
}
