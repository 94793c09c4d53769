/**
 * How long the parts of a request may take, in milliseconds. They stand in one place because each has to fit into
 * another one (request-times.unit.test.ts): an order that is accepted has to be answered before the gateway gives up.
 */
export const requestTimes = {
  /** The gateway waits for a service to answer. */
  gateway: 12_000,
  /** send-order answers by then, decided or not, counted from when its request reached orders: ANSWER_WITHIN_MS. */
  answer: 8_000,
  /** What may still follow: the commit of an order whose card took all of that time, and the read that answers it. */
  reserve: 3_000,
  /** A question to catalog or accounts. Two follow one another when the zone depends on a saved address. */
  question: 2_000,
  /** The exchange of a card for a token by payments. In send-order it also ends when the time to answer does. */
  tokenize: 8_000,
  /** A call to the payment processor. */
  processor: 6_000,
  /** The saga repeats a command to payments that is not answered. */
  paymentReply: 7_000,
}
