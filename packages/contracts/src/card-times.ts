/**
 * Times in milliseconds for which an order may need its card. card-times.unit.test.ts states how these times depend on one another.
 */
export const cardTimes = {
  /** The maximum of SAGA_DEADLINE_MS. After it, an order whose card is not authorized is compensated. */
  longestSaga: 1_800_000,
  /** The time that a customer has for authentication at the bank. The processor may end it earlier. */
  challenge: 600_000,
  /** A removed card is detached at the processor after this time. */
  detachment: 3_600_000,
}
