import { Problem } from '@platter/kit'
import { expect, test } from 'vitest'
import { Shedding } from './shedding.ts'

/** What a service can do in a second, with a queue of its own that it calls a crowd from 24 on, and full from 96 on. */
const CAPACITY = 100
const CROWD = 24
const FULL = 96

type Sender = { application: string; rate: number }
type Counted = Record<string, { sent: number; passed: number }>

/** Sends for so many seconds, a millisecond at a time, by a clock that is only counted. */
function play(
  shedding: Shedding,
  senders: Sender[],
  { from = 0, seconds = 10, stops = (_ms: number): boolean => false } = {},
) {
  const counted: Counted = Object.fromEntries(
    senders.map(({ application }) => [application, { sent: 0, passed: 0 }]),
  )
  const service = new Service(shedding)
  const end = from + seconds * 1_000
  let longest = 0
  for (let ms = from; ms < end; ms++) {
    for (const { application, rate } of senders) {
      const count = counted[application]!
      const due = Math.floor(((ms + 1) * rate) / 1_000) - Math.floor((ms * rate) / 1_000)
      count.sent += due
      const passed = Array.from({ length: due }, () => passes(shedding, application, ms) && service.takes(ms))
      count.passed += passed.filter(Boolean).length
    }
    if (!stops(ms)) service.works(ms)
    if (ms > (from + end) / 2) longest = Math.max(longest, service.queue)
  }
  return { counted, longest, end }
}

class Service {
  readonly #shedding: Shedding
  #work = 0
  queue = 0

  constructor(shedding: Shedding) {
    this.#shedding = shedding
  }

  takes(ms: number): boolean {
    const hasRoom = this.queue < FULL
    if (hasRoom) this.queue += 1
    else this.#shedding.answered(true, true, ms)
    return hasRoom
  }

  /** For a millisecond. */
  works(ms: number): void {
    this.#work = Math.min(this.queue, this.#work + CAPACITY / 1_000)
    for (; this.#work >= 1; this.#work--) {
      this.queue -= 1
      this.#shedding.answered(this.queue > CROWD, false, ms)
    }
  }
}

function passes(shedding: Shedding, application: string, now: number): boolean {
  try {
    shedding.admit(application, now)
    return true
  } catch (error) {
    if (error instanceof Problem && error.code === 'overloaded') return false
    throw error
  }
}

test('what the service can take passes whole', () => {
  const { counted } = play(new Shedding(), [{ application: 'one', rate: 95 }])
  expect(counted['one']!.passed).toBe(counted['one']!.sent)
})

test.each([2, 10, 50])(
  'of %d times as much passes what the service can take, with a queue that stays short',
  (times) => {
    const shedding = new Shedding()
    const begin = play(shedding, [{ application: 'one', rate: CAPACITY * times }])
    const { counted, longest } = play(shedding, [{ application: 'one', rate: CAPACITY * times }], {
      from: begin.end,
    })
    expect(counted['one']!.passed).toBeGreaterThan(CAPACITY * 10 * 0.9)
    expect(counted['one']!.passed).toBeLessThan(CAPACITY * 10 * 1.1)
    expect(longest).toBeLessThan(CAPACITY)
  },
)

test('a noisy application pays for itself: one that sends little is not held back', () => {
  const shedding = new Shedding()
  const senders = [
    { application: 'noisy', rate: 1_000 },
    { application: 'quiet', rate: 10 },
  ]
  // In the first moments nobody knows yet how much is too much.
  const { end } = play(shedding, senders, { seconds: 1 })
  const { counted } = play(shedding, senders, { from: end })
  expect(counted['quiet']!.passed).toBe(counted['quiet']!.sent)
  expect(counted['noisy']!.passed).toBeLessThan(counted['noisy']!.sent / 5)
})

test('two noisy applications get equal shares, whatever each sends', () => {
  const { counted } = play(
    new Shedding(),
    [
      { application: 'one', rate: 300 },
      { application: 'other', rate: 900 },
    ],
    { seconds: 30 },
  )
  expect(counted['one']!.passed / counted['other']!.passed).toBeGreaterThan(0.9)
})

test('a service that stands still for a moment, again and again, is given what it can do in between', () => {
  const { counted } = play(new Shedding(), [{ application: 'one', rate: 1_000 }], {
    seconds: 30,
    stops: (ms) => ms % 3_000 < 300,
  })
  expect(counted['one']!.passed).toBeGreaterThan(30 * CAPACITY * 0.9 * 0.9)
})

test('when the crowd is gone, everything passes again within ten seconds', () => {
  const shedding = new Shedding()
  const { end } = play(shedding, [{ application: 'one', rate: 1_000 }])
  const after = play(shedding, [{ application: 'one', rate: 80 }], { from: end, seconds: 10 })
  const { counted } = play(shedding, [{ application: 'one', rate: 80 }], { from: after.end, seconds: 5 })
  expect(counted['one']!.passed).toBe(counted['one']!.sent)
})

test('fifty requests at one moment hold nobody back, although they are a crowd for a while', () => {
  const shedding = new Shedding()
  for (let number = 0; number < 50; number++) expect(passes(shedding, 'one', 0)).toBe(true)
  for (let number = 0; number < 50; number++) shedding.answered(number < 40, false, number * 8)
  const { counted } = play(shedding, [{ application: 'one', rate: 90 }], { from: 400, seconds: 3 })
  expect(counted['one']!.passed).toBe(counted['one']!.sent)
})

test('a crowd that a few answers tell of holds nobody back: it may be anything', () => {
  const shedding = new Shedding()
  for (let ms = 0; ms < 5_000; ms += 100) {
    expect(passes(shedding, 'one', ms)).toBe(true)
    shedding.answered(true, false, ms + 10)
  }
})
