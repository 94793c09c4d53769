/** How long an order may need its card, in milliseconds. card-times.unit.test.ts states how these times depend on one another. */
export const cardTimes = {
  /** The largest SAGA_DEADLINE_MS: afterwards an order whose card is not authorized is compensated. */
  longestSaga: 1_800_000,
  /** A customer has this time at the bank. The processor may end it earlier. */
  challenge: 600_000,
  /** A removed card is detached at the processor after this time. */
  detachment: 3_600_000,
}
