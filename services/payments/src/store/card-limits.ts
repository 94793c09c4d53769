import { createHash, createHmac } from 'node:crypto'
import type { CardUser } from '@platter/contracts'
import { Cache, networkOf, type Log } from '@platter/kit'
import { OptionalRedis } from '@platter/kit/lifecycle/optional-redis'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { AttemptLimit } from '@platter/kit/limits/attempt-limit'
import type { Config } from '#/config.ts'

/** The keys under which declines of a card are counted. */
type CardAttempt = { card: string; address: string | null; application: string | null }

export type CardLimits = Pick<RedisCardLimits, keyof RedisCardLimits>

type Settings = Pick<
  Config,
  | 'REDIS_URL'
  | 'INTERNAL_SECRET'
  | 'CARDS_PER_USER'
  | 'DECLINES_PER_CARD'
  | 'DECLINES_PER_ADDRESS'
  | 'DECLINES_PER_APPLICATION'
  | 'CARDS_SECONDS'
>

/** The tokens that a replica keeps while Redis is unavailable. Most are authorized within seconds. */
const MAX_OWN_TOKENS = 10_000

/**
 * Prevents card testing: sending orders with stolen card numbers to find the valid ones. A person has few cards, and few declined
 * cards. Therefore new cards are counted by user, and declined cards by card, client address and application.
 *
 * All replicas count in Redis. While Redis is unavailable each replica counts alone, and no card is refused for that reason.
 */
export class RedisCardLimits {
  readonly #redis: OptionalRedis
  readonly #secret: string
  readonly #seconds: number
  readonly #newOfUser: AttemptLimit
  readonly #declines: Record<keyof CardAttempt, AttemptLimit>
  readonly #ownTokens: Cache<string>

  constructor(config: Settings, log: Log) {
    const redis = new OptionalRedis(connectRedis(config.REDIS_URL, log))
    const { CARDS_SECONDS: seconds } = config
    const limitOf = (what: string, attempts: number) =>
      new AttemptLimit({ attempts, seconds }, TOO_MANY, { redis, prefix: `cards:${what}` })
    this.#redis = redis
    this.#secret = config.INTERNAL_SECRET
    this.#seconds = seconds
    this.#ownTokens = new Cache({ maxEntries: MAX_OWN_TOKENS, ttlMs: seconds * 1_000 })
    this.#newOfUser = limitOf('new-of-user', config.CARDS_PER_USER)
    this.#declines = {
      card: limitOf('declines-of-card', config.DECLINES_PER_CARD),
      address: limitOf('declines-of-address', config.DECLINES_PER_ADDRESS),
      application: limitOf('declines-of-application', config.DECLINES_PER_APPLICATION),
    }
  }

  /** Returns whether Redis responds, so that all replicas count together. */
  async isShared(): Promise<boolean> {
    return this.#redis.run(
      async (client) => Boolean(await client.ping()),
      () => false,
    )
  }

  /** Called before a new card is sent to the processor. Throws Problem rate-limited above a limit. */
  async admit(cardNumber: string, { userApiKey, address, applicationId }: CardUser): Promise<CardAttempt> {
    const attempt = {
      card: cardId(cardNumber, this.#secret),
      address: address === null ? null : shortHash(networkOf(address)),
      application: applicationId,
    }
    await this.#forEachKey(attempt, (limit, key) => limit.check(key))
    if (userApiKey !== null) await this.#admitOfUser(userApiKey, attempt.card)
    return attempt
  }

  /**
   * Stores the processor's token of the card, so that a later decline counts for the card. Another replica may receive that decline.
   */
  async linkToken(token: string, attempt: CardAttempt): Promise<void> {
    const [key, text] = [keyOfToken(token), JSON.stringify(attempt)]
    await this.#redis.run<unknown>(
      (client) => client.set(key, text, 'EX', this.#seconds),
      () => this.#ownTokens.set(key, text),
    )
  }

  countDecline(attempt: CardAttempt): Promise<void> {
    return this.#forEachKey(attempt, (limit, key) => limit.countFailed(key))
  }

  /** Counts the decline of an authorization with this token. The decline of an older token is not counted. */
  async countDeclineOfToken(token: string): Promise<void> {
    const key = keyOfToken(token)
    const text = await this.#redis.run(
      (client) => client.get(key),
      () => this.#ownTokens.get(key) ?? null,
    )
    if (text !== null) await this.countDecline(JSON.parse(text) as CardAttempt)
  }

  close(): void {
    this.#redis.close()
  }

  async #forEachKey(
    { card, address, application }: CardAttempt,
    apply: (limit: AttemptLimit, key: string) => Promise<void>,
  ): Promise<void> {
    await Promise.all([
      apply(this.#declines.card, card),
      address !== null && apply(this.#declines.address, address),
      application !== null && apply(this.#declines.application, application),
    ])
  }

  /** A card that a user sends twice counts once. */
  async #admitOfUser(user: string, card: string): Promise<void> {
    const userCard = `cards:of-user:${user}:${card}`
    const isKnown = await this.#redis.run(
      (client) => client.exists(userCard),
      () => 0,
    )
    if (isKnown) return
    await this.#newOfUser.count(user)
    // Without Redis, a repetition of the card counts again.
    await this.#redis.run(
      (client) => client.set(userCard, 1, 'EX', this.#seconds),
      () => null,
    )
  }
}

const keyOfToken = (token: string): string => `cards:token:${shortHash(token)}`

/** Hashes a text, so that Redis contains no addresses and tokens. */
const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

const TOO_MANY = 'Too many cards were tried. Please try again later, or pay in cash.'

/**
 * Distinguishes the cards of an hour without identifying a card: 24 bits of a keyed hash, which over sixty million card numbers
 * share. Even an attacker with Redis and the key cannot find a number by trying all numbers (PCI DSS 3.5.1.1 requires this of a
 * stored hash of a card number). Two cards of one hour collide with a probability of one in sixteen million.
 */
const cardId = (cardNumber: string, secret: string): string =>
  createHmac('sha256', secret).update(`card ${cardNumber}`).digest('hex').slice(0, 6)
