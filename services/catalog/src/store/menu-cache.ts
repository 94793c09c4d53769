import { RestaurantMenu } from '@platter/contracts'
import { responseRenderer } from '@platter/kit'
import { menuRecord } from '#/domain/menu.ts'
import { createMemo } from '../memo.ts'
import type { Db } from './database.ts'
import { findMenu, menuVersion } from './menus.ts'
import type { Cache } from './redis.ts'

/** A change is felt within this time by every replica, with nobody told. */
const VERSION_HOLDS_MS = 1_000
const MAX_KEYS = 10_000
/** Nobody deletes the menus of old versions. */
const KEPT_SECONDS = 600

/**
 * Menus as the bytes that clients get, rendered once a version and shared by all replicas through Redis. The
 * version is part of the key, so that nothing is ever invalidated; a replica asks the database for it once
 * a second and restaurant. Without Redis each read renders anew.
 */
export type MenuCache = {
  /** null when there is no such restaurant. */
  read(restaurantApiKey: string, includeCustomizations: boolean): Promise<Buffer | null>
}

const renderMenu = responseRenderer(RestaurantMenu)

export function createMenuCache(db: Db, cache: Cache): MenuCache {
  const versions = createMemo<number | null>({ ttlMs: VERSION_HOLDS_MS, max: MAX_KEYS })
  const inHand = createMemo<Buffer | null>({ ttlMs: 0, max: MAX_KEYS })

  async function render(restaurantApiKey: string, includeCustomizations: boolean): Promise<Buffer | null> {
    const found = await findMenu(db, restaurantApiKey)
    if (!found) return null
    const body = Buffer.from(renderMenu(menuRecord(found.menu, includeCustomizations)))
    // Under the version that was read, which may be newer than the one that was asked for. Nobody waits for it.
    const key = keyOf(restaurantApiKey, found.version, includeCustomizations)
    void cache.set(key, body, Math.round(KEPT_SECONDS * (0.9 + 0.2 * Math.random())))
    return body
  }

  return {
    async read(restaurantApiKey, includeCustomizations) {
      const version = await versions(restaurantApiKey, () => menuVersion(db, restaurantApiKey))
      if (version === null) return null
      const key = keyOf(restaurantApiKey, version, includeCustomizations)
      return inHand(
        key,
        async () => (await cache.get(key)) ?? render(restaurantApiKey, includeCustomizations),
      )
    },
  }
}

/** An apiKey has no colon. */
const keyOf = (restaurantApiKey: string, version: number, includeCustomizations: boolean): string =>
  `menu:${restaurantApiKey}:${version}:${includeCustomizations ? 1 : 0}`
