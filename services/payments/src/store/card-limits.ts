import { createHash, createHmac } from 'node:crypto'
import type { CardUser } from '@platter/contracts'
import { networkOf, Problem, type Log } from '@platter/kit'
import { connectRedis, type Redis } from '@platter/kit/redis'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'

/** How much there may be within so many seconds. */
export type CardPolicy = {
  cardsPerUser: number
  declinesPerCard: number
  declinesPerAddress: number
  declinesPerApplication: number
  seconds: number
}

/** What the declines of a card that was shown are counted by. */
export type Shown = { card: string; address: string | null; application: string | null }

/**
 * Holds off whoever tries cards out: stolen numbers are worth more once somebody knows which ones work, and an
 * order is a way to find out. A person has few cards, and few that are declined; so new cards are counted by user,
 * declined ones by card, client address and application.
 */
export type CardLimits = {
  /** Before a new card is shown to the processor. Throws Problem rate-limited when it may not be. */
  admit(cardNumber: string, by: CardUser): Promise<Shown>
  /** The processor has a token for it now, by which a later decline is found to be this card's. */
  remember(token: string, shown: Shown): void
  /** The processor has declined it. */
  declined(shown: Shown): Promise<void>
  /** The processor has declined to charge the card of this token. */
  declinedByToken(token: string): Promise<void>
  close(): void
}

/** A count in common, the one to fall back on, and where it ends. */
type Counter = { shared: RateLimiterRedis; own: RateLimiterMemory; limit: number }
type Counted = { counter: Counter; key: string }

type Settings = { secret: string; policy: CardPolicy; log: Log }

/**
 * Counted in common with all replicas in Redis; while it is away each replica counts for itself, and a card is
 * never refused for that. A card of a guest takes two commands, one of which nobody waits for.
 */
export class CountedCards implements CardLimits {
  readonly #redis: Redis
  readonly #secret: string
  readonly #seconds: number
  readonly #newOfUser: Counter
  readonly #declined: { card: Counter; address: Counter; application: Counter }

  constructor(url: string, { secret, policy, log }: Settings) {
    const redis = connectRedis(url, log)
    const counter = (what: string, limit: number): Counter => {
      const options = { keyPrefix: `cards:${what}`, points: limit, duration: policy.seconds }
      const own = new RateLimiterMemory(options)
      const store = { storeClient: redis, rejectIfRedisNotReady: true, insuranceLimiter: own }
      return { shared: new RateLimiterRedis({ ...options, ...store }), own, limit }
    }
    this.#redis = redis
    this.#secret = secret
    this.#seconds = policy.seconds
    this.#newOfUser = counter('new-of-user', policy.cardsPerUser)
    this.#declined = {
      card: counter('declined', policy.declinesPerCard),
      address: counter('declined-from', policy.declinesPerAddress),
      application: counter('declined-of', policy.declinesPerApplication),
    }
  }

  async admit(cardNumber: string, { userApiKey, address, applicationId }: CardUser): Promise<Shown> {
    const shown = {
      card: cardId(cardNumber, this.#secret),
      address: address === null ? null : shortHash(networkOf(address)),
      application: applicationId,
    }
    const counted = this.#countersOf(shown)
    const userCard = `cards:of-user:${userApiKey ?? ''}:${shown.card}`
    const { isKnown, counts } = await this.#known(counted, userCard)
    const spent = counted.find(({ counter: { limit } }, at) => (counts[at] ?? 0) >= limit)
    if (spent) throw tooMany(await spent.counter.shared.get(spent.key))
    // A person who tries one card twice has shown one card.
    if (userApiKey !== null && !isKnown) await this.#countNew(userApiKey, userCard)
    return shown
  }

  remember(token: string, shown: Shown): void {
    this.#redis
      .set(tokenKey(token), JSON.stringify(shown), 'EX', this.#seconds)
      .catch(() => 'a later decline of this card is not counted')
  }

  async declined(shown: Shown): Promise<void> {
    await Promise.all(this.#countersOf(shown).map(({ counter: { shared }, key }) => shared.penalty(key)))
  }

  async declinedByToken(token: string): Promise<void> {
    const text = await this.#redis.get(tokenKey(token)).catch(() => null)
    // Of a card that was saved long ago nobody knows any more who showed it.
    if (text !== null) await this.declined(JSON.parse(text) as Shown)
  }

  close(): void {
    this.#redis.disconnect()
  }

  #countersOf({ card, address, application }: Shown): Counted[] {
    const by = this.#declined
    return [
      { counter: by.card, key: card },
      ...(address === null ? [] : [{ counter: by.address, key: address }]),
      ...(application === null ? [] : [{ counter: by.application, key: application }]),
    ]
  }

  /** How often each was declined, and whether the user has shown this card before. */
  async #known(counted: readonly Counted[], userCard: string) {
    const keys = counted.map(({ counter: { shared }, key }) => shared.getKey(key))
    try {
      const [isKnown, ...counts] = await this.#redis.mget(userCard, ...keys)
      return { isKnown: isKnown !== null, counts: counts.map(Number) }
    } catch {
      // Why Redis is away is told by the connection's own events.
      const own = await Promise.all(counted.map(({ counter, key }) => counter.own.get(key)))
      return { isKnown: false, counts: own.map((count) => count?.consumedPoints ?? 0) }
    }
  }

  async #countNew(user: string, userCard: string): Promise<void> {
    try {
      await this.#newOfUser.shared.consume(user)
    } catch (reason) {
      throw reason instanceof RateLimiterRes ? tooMany(reason) : reason
    }
    await this.#redis.set(userCard, 1, 'EX', this.#seconds).catch(() => 'it counts once more')
  }
}

const tooMany = (count: RateLimiterRes | null): Problem =>
  new Problem('rate-limited', 'Too many cards were tried. Please wait a while and try again.', {
    retryAfterSeconds: Math.max(1, Math.ceil((count?.msBeforeNext ?? 0) / 1_000)),
  })

/**
 * Tells the cards of an hour apart, and no card from all others: 24 bits of a keyed hash, which a good sixty million
 * card numbers share. Whoever has Redis, and even the key, learns no number by trying them all (PCI DSS 3.5.1.1 asks
 * that of a hash of a card number that is kept; this is none). Two cards of one hour fall together by chance once in
 * sixteen million.
 */
const cardId = (cardNumber: string, secret: string): string =>
  createHmac('sha256', secret).update(`card ${cardNumber}`).digest('hex').slice(0, 6)

const tokenKey = (token: string): string => `cards:token:${shortHash(token)}`

/** Redis need not know addresses and tokens. */
const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)
