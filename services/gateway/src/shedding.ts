import { overloaded } from '@platter/kit'

/** How often it is thought over how much may pass. */
const WINDOW_MS = 100
/** Of what was counted before, so much counts on in the next window: the memory is half a second long. */
const REMEMBERED = 0.8
/** By so much more may pass after each window without a crowd: quickly while it is less than was done before, then slowly. */
const BACK = 0.15
const MORE = 0.03
/** What was done before is believed less with each window: a tenth in two seconds. */
const BELIEVED = 0.995
/** In a crowd less may pass than is done, by so much: it goes. */
const LESS = 0.1
/**
 * A window in which so large a share of the answers tells of a crowd is a crowded one. Five in a row, and enough answers
 * in them, and somebody is held back: fifty orders at one moment are no crowd yet, they are gone after less.
 */
const CROWD = 0.3
const FIVE_IN_A_ROW = 1 + REMEMBERED + REMEMBERED ** 2 + REMEMBERED ** 3 + REMEMBERED ** 4
const ANSWERS_THAT_TELL = 10
/** Calm windows after which nobody is held back any more. */
const CALM_WINDOWS = 30
/** Requests that an application may send at the same moment, whatever it may in a second. */
const BURST = 5
const LEAST = 1
const MAX_KNOWN = 10_000

type Credit = { requests: number; at: number }

/**
 * Holds back what a service cannot take, at the door and before a body is read, so that what is let through is done
 * as quickly and as much of it as ever. The service tells when it is crowded (`CROWDED_HEADER`), and the more answers do, the
 * less may pass: as a network's routers mark packets and senders slow down (RFC 3168, RFC 8257).
 *
 * What falls and rises is the level: the requests a second that any one application may send. Only those that send
 * more than the level are held back, so it is the noisy ones that pay, and the others do not notice.
 */
export class Shedding {
  #level = Infinity
  #windowEnds = 0
  #calm = 0
  /** What the service has done in a second, at its best of late. */
  #best = 0
  /** Since when the window began. */
  #now = nothing()
  /** The windows before, each counting less than the next one. */
  #before = nothing()
  #sent = new Map<string, number>()
  #credits = new Map<string, Credit>()

  /** Lets a request of an application pass, or throws Problem overloaded. `now` in ms of any one clock. */
  admit(applicationId: string, now: number = performance.now()): void {
    this.#turn(now)
    if (this.#level !== Infinity && !this.#takeCredit(applicationId, now)) {
      this.#now.heldBack += 1
      throw overloaded()
    }
    this.#now.passed += 1
    this.#sent.set(applicationId, (this.#sent.get(applicationId) ?? 0) + 1)
  }

  /** To be told of every answer of the service: whether it is crowded, and whether it refused for that. */
  answered(isCrowded: boolean, isRefused: boolean, now: number = performance.now()): void {
    this.#now.answers += 1
    if (!isRefused) this.#now.done += 1
    if (isCrowded) this.#now.crowded += 1
    this.#turn(now)
  }

  #takeCredit(applicationId: string, now: number): boolean {
    const burst = Math.max(BURST, (this.#level * WINDOW_MS) / 1_000)
    const { requests, at } = this.#credits.get(applicationId) ?? { requests: BURST, at: now }
    const credit = Math.min(burst, requests + ((now - at) * this.#level) / 1_000)
    if (this.#credits.size >= MAX_KNOWN) this.#credits.clear()
    this.#credits.set(applicationId, { requests: credit < 1 ? credit : credit - 1, at: now })
    return credit >= 1
  }

  #turn(now: number): void {
    if (now < this.#windowEnds) return
    const late = now - this.#windowEnds
    // After a pause nothing is known.
    if (late > 1_000) this.#before = nothing()
    else this.#reconsider()
    this.#windowEnds = now + WINDOW_MS
    this.#now = nothing()
    this.#sent.clear()
  }

  #reconsider(): void {
    const { crowded, answers, heldBack } = this.#now
    const share = answers === 0 ? 0 : crowded / answers
    this.#now.busiest = Math.max(0, ...this.#sent.values())
    this.#now.crowds = share < CROWD ? 0 : 1
    const known = remembered(this.#before, this.#now)
    this.#before = known
    // Requests that nothing has come of yet say nothing.
    if (answers === 0 && this.#now.passed > 0) return
    if (this.#level === Infinity && !isCrowd(known)) return
    // What is done in a crowd is all that can be done; of that as much as the busiest have had of what passed.
    const perSecond = (known.done * 1_000) / (known.windows * WINDOW_MS)
    const crowdLevel = known.passed === 0 ? LEAST : perSecond * (1 - LESS) * (known.busiest / known.passed)
    const level = this.#level === Infinity ? perSecond : this.#level
    const more = perSecond < this.#best * (1 - LESS) ? BACK : MORE
    this.#best = Math.max(perSecond, this.#best * BELIEVED)
    this.#level = Math.max(LEAST, share * crowdLevel + (1 - share) * level * (1 + more))
    this.#relax(share === 0 && heldBack === 0)
  }

  /** After calm for long enough nobody is held back any more. */
  #relax(isCalm: boolean): void {
    this.#calm = isCalm ? this.#calm + 1 : 0
    if (this.#calm < CALM_WINDOWS) return
    this.#level = Infinity
    this.#calm = 0
    this.#credits.clear()
  }
}

/**
 * Windows, and crowded ones; requests let through, those of the busiest application among them, and held back; answers, those of a crowd among
 * them, and those with which something was done.
 */
type Counts = Record<
  'windows' | 'crowds' | 'passed' | 'busiest' | 'heldBack' | 'answers' | 'crowded' | 'done',
  number
>

const nothing = (): Counts => ({
  windows: 1,
  crowds: 0,
  passed: 0,
  busiest: 0,
  heldBack: 0,
  answers: 0,
  crowded: 0,
  done: 0,
})

const remembered = (before: Counts, now: Counts): Counts => ({
  windows: before.windows * REMEMBERED + now.windows,
  crowds: before.crowds * REMEMBERED + now.crowds,
  passed: before.passed * REMEMBERED + now.passed,
  busiest: before.busiest * REMEMBERED + now.busiest,
  heldBack: before.heldBack * REMEMBERED + now.heldBack,
  answers: before.answers * REMEMBERED + now.answers,
  crowded: before.crowded * REMEMBERED + now.crowded,
  done: before.done * REMEMBERED + now.done,
})

const isCrowd = ({ crowds, answers }: Counts): boolean =>
  crowds >= FIVE_IN_A_ROW && answers >= ANSWERS_THAT_TELL
