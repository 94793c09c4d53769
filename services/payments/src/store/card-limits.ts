import { createHmac } from 'node:crypto'
import type { CardUser } from '@platter/contracts'
import { networkOf, type Log } from '@platter/kit'
import { connectRedis, type Redis } from '@platter/kit/lifecycle/redis'
import { AttemptLimit, attemptsUsedUp } from '@platter/kit/limits/attempt-limit'
import { DeclineLog } from '#/store/decline-log.ts'
import { shortHash, ShownCards, type Shown } from '#/store/shown-cards.ts'

/** How much there may be within so many seconds. */
export type CardPolicy = {
  cardsPerUser: number
  declinesPerCard: number
  declinesPerAddress: number
  declinesPerApplication: number
  seconds: number
}

/**
 * Holds off whoever tries cards out: stolen numbers are worth more once somebody knows which ones work, and an
 * order is a way to find out. A person has few cards, and few that are declined; so new cards are counted by user,
 * declined ones by card, client address and application.
 */
export type CardLimits = {
  /** Before a new card is shown to the processor. Throws Problem rate-limited when it may not be. */
  admit(cardNumber: string, by: CardUser): Promise<Shown>
  /** The processor has a token for it now, by which a later decline is attributed to this card. */
  remember(token: string, shown: Shown): void
  /** The processor has declined it. */
  declined(shown: Shown): Promise<void>
  /** The processor has declined to charge the card of this token. */
  declinedByToken(token: string): Promise<void>
  /** Resolves when what was remembered last is written. */
  close(): Promise<void>
}

type Settings = {
  secret: string
  policy: CardPolicy
  log: Log
  /** Epoch milliseconds. */
  now?: () => number
}

/**
 * Counts in common with all replicas, by way of Redis; while Redis is unavailable each replica counts for itself, and a
 * card is never refused for that. A guest's card costs no command: what other replicas learn is read once a second, and
 * written twice a second, for all cards together. A decline is counted on the replica that learns of it at once, and on
 * all others within a second.
 */
export class CountedCards implements CardLimits {
  readonly #redis: Redis
  readonly #secret: string
  readonly #policy: CardPolicy
  readonly #newOfUser: AttemptLimit
  readonly #declines: DeclineLog
  readonly #shown: ShownCards

  constructor(url: string, { secret, policy, log, now = Date.now }: Settings) {
    this.#redis = connectRedis(url, log)
    this.#secret = secret
    this.#policy = policy
    this.#newOfUser = new AttemptLimit({ attempts: policy.cardsPerUser, seconds: policy.seconds }, TOO_MANY, {
      redis: this.#redis,
      prefix: 'cards:new-of-user',
    })
    this.#declines = new DeclineLog(this.#redis, { seconds: policy.seconds, now })
    this.#shown = new ShownCards(this.#redis, policy)
  }

  async admit(cardNumber: string, { userApiKey, address, applicationId }: CardUser): Promise<Shown> {
    const shown = {
      card: cardId(cardNumber, this.#secret),
      address: address === null ? null : shortHash(networkOf(address)),
      application: applicationId,
    }
    const exhaustedForMs = await this.#declines.exhaustedForMs(this.#limitsOf(shown))
    if (exhaustedForMs !== null) throw attemptsUsedUp(TOO_MANY, exhaustedForMs)
    if (userApiKey !== null) await this.#admitOfUser(userApiKey, shown.card)
    return shown
  }

  remember(token: string, shown: Shown): void {
    this.#shown.remember(token, shown)
  }

  declined(shown: Shown): Promise<void> {
    return this.#declines.append(this.#limitsOf(shown).map(({ key }) => key))
  }

  async declinedByToken(token: string): Promise<void> {
    const shown = await this.#shown.find(token).catch(() => null)
    if (shown) await this.declined(shown)
  }

  async close(): Promise<void> {
    await this.#shown.write()
    this.#redis.disconnect()
  }

  #limitsOf({ card, address, application }: Shown): { key: string; limit: number }[] {
    const { declinesPerCard, declinesPerAddress, declinesPerApplication } = this.#policy
    return [
      { key: `card ${card}`, limit: declinesPerCard },
      ...(address === null ? [] : [{ key: `address ${address}`, limit: declinesPerAddress }]),
      ...(application === null ? [] : [{ key: `application ${application}`, limit: declinesPerApplication }]),
    ]
  }

  /** A person who tries one card twice has shown one card. */
  async #admitOfUser(user: string, card: string): Promise<void> {
    const userCard = `cards:of-user:${user}:${card}`
    const isKnown = await this.#redis.exists(userCard).catch(() => 0)
    if (isKnown) return
    await this.#newOfUser.count(user)
    await this.#redis.set(userCard, 1, 'EX', this.#policy.seconds).catch(() => 'it counts once more')
  }
}

const TOO_MANY = 'Too many cards were tried. Please wait a while and try again.'

/**
 * Tells the cards of an hour apart, and no card from all others: 24 bits of a keyed hash, which a good sixty million
 * card numbers share. Whoever has Redis, and even the key, learns no number by trying them all (PCI DSS 3.5.1.1 asks
 * that of a hash of a card number that is kept; this is none). Two cards of one hour fall together by chance once in
 * sixteen million.
 */
const cardId = (cardNumber: string, secret: string): string =>
  createHmac('sha256', secret).update(`card ${cardNumber}`).digest('hex').slice(0, 6)
