import { createHmac } from 'node:crypto'
import type { CardUser } from '@platter/contracts'
import { networkOf, type Log } from '@platter/kit'
import { OptionalRedis } from '@platter/kit/lifecycle/optional-redis'
import { connectRedis } from '@platter/kit/lifecycle/redis'
import { AttemptLimit, attemptsUsedUp } from '@platter/kit/limits/attempt-limit'
import { DeclineLog } from '#/store/decline-log.ts'
import { CardAttempts, shortHash, type CardAttempt } from '#/store/card-attempts.ts'

/** The maximum number of new cards per user, and of declines per card, address and application, within `seconds`. */
export type CardPolicy = {
  cardsPerUser: number
  declinesPerCard: number
  declinesPerAddress: number
  declinesPerApplication: number
  seconds: number
}

export type CardLimits = Pick<
  RedisCardLimits,
  'admit' | 'linkToken' | 'countDecline' | 'countDeclineOfToken' | 'close'
>

type Deps = {
  secret: string
  policy: CardPolicy
  log: Log
  /** Epoch milliseconds. */
  now?: () => number
}

/**
 * Prevents card testing: sending orders with stolen card numbers to find the valid ones. A person has few cards, and few declined
 * cards. Therefore new cards are counted by user, and declined cards by card, client address and application.
 *
 * The counts are for all replicas, with Redis. While Redis is unavailable each replica counts alone, and no card is refused for
 * that reason. A guest's card needs no command of its own: declines are read once per second, and tokens written twice per second,
 * for all cards together. A decline counts immediately on the replica that receives it, and on all others within a second.
 */
export class RedisCardLimits {
  readonly #redis: OptionalRedis
  readonly #secret: string
  readonly #policy: CardPolicy
  readonly #newOfUser: AttemptLimit
  readonly #declines: DeclineLog
  readonly #attempts: CardAttempts

  constructor(url: string, { secret, policy, log, now = Date.now }: Deps) {
    this.#redis = new OptionalRedis(connectRedis(url, log))
    this.#secret = secret
    this.#policy = policy
    this.#newOfUser = new AttemptLimit({ attempts: policy.cardsPerUser, seconds: policy.seconds }, TOO_MANY, {
      redis: this.#redis,
      prefix: 'cards:new-of-user',
    })
    this.#declines = new DeclineLog(this.#redis, { seconds: policy.seconds, now })
    this.#attempts = new CardAttempts(this.#redis, policy)
  }

  /** Called before a new card is sent to the processor. Throws Problem rate-limited above a limit. */
  async admit(cardNumber: string, { userApiKey, address, applicationId }: CardUser): Promise<CardAttempt> {
    const attempt = {
      card: cardId(cardNumber, this.#secret),
      address: address === null ? null : shortHash(networkOf(address)),
      application: applicationId,
    }
    const exhaustedForMs = await this.#declines.exhaustedForMs(this.#limitsOf(attempt))
    if (exhaustedForMs !== null) throw attemptsUsedUp(TOO_MANY, exhaustedForMs)
    if (userApiKey !== null) await this.#admitOfUser(userApiKey, attempt.card)
    return attempt
  }

  /** Stores the processor's token of the card, so that a later decline counts for the card. */
  linkToken(token: string, attempt: CardAttempt): void {
    this.#attempts.save(token, attempt)
  }

  countDecline(attempt: CardAttempt): Promise<void> {
    return this.#declines.append(this.#limitsOf(attempt).map(({ key }) => key))
  }

  /** Counts the decline of an authorization with this token. */
  async countDeclineOfToken(token: string): Promise<void> {
    const attempt = await this.#attempts.find(token)
    if (attempt) await this.countDecline(attempt)
  }

  /** Resolves when the last tokens are written. */
  async close(): Promise<void> {
    await this.#attempts.flush()
    this.#redis.close()
  }

  #limitsOf({ card, address, application }: CardAttempt): { key: string; limit: number }[] {
    const { declinesPerCard, declinesPerAddress, declinesPerApplication } = this.#policy
    return [
      { key: `card ${card}`, limit: declinesPerCard },
      ...(address === null ? [] : [{ key: `address ${address}`, limit: declinesPerAddress }]),
      ...(application === null ? [] : [{ key: `application ${application}`, limit: declinesPerApplication }]),
    ]
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
      (client) => client.set(userCard, 1, 'EX', this.#policy.seconds),
      () => null,
    )
  }
}

const TOO_MANY = 'Too many cards were tried. Wait for the time in Retry-After, then try again.'

/**
 * Distinguishes the cards of an hour without identifying a card: 24 bits of a keyed hash, which over sixty million card numbers
 * share. Even an attacker with Redis and the key cannot find a number by trying all numbers (PCI DSS 3.5.1.1 requires this of a
 * stored hash of a card number). Two cards of one hour collide with a probability of one in sixteen million.
 */
const cardId = (cardNumber: string, secret: string): string =>
  createHmac('sha256', secret).update(`card ${cardNumber}`).digest('hex').slice(0, 6)
