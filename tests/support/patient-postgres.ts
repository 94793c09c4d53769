import { requestTimes } from '@platter/contracts'

/**
 * No client repeats the statement of a test, and the machine may stand still for 3 s. Tests of the time limits read them here and
 * inject a clock.
 */
requestTimes.connection = 60_000
requestTimes.statement = 60_000
