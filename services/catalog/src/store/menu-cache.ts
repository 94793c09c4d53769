import { changeTimes, RestaurantMenu } from '@platter/contracts'
import { responseRenderer } from '@platter/kit'
import { LRUCache } from 'lru-cache'
import { menuRecord } from '#/domain/menu.ts'
import { createMemo } from '#/memo.ts'
import { RENDERING } from '#/revalidation.ts'
import type { Db } from '#/store/database.ts'
import { findMenu, menuVersion } from '#/store/menus.ts'
import type { Cache } from '#/store/redis.ts'

const MAX_KEYS = 10_000
/** Nobody deletes the menus of old versions. */
const KEPT_SECONDS = 600
/** Of the menus that are asked for most: 400 of 20 KB. A process has 200 MB at most. */
const HELD_BYTES = 8 * 1024 * 1024

/** A menu as the bytes that clients get, and the entity tag that stands for them. */
export type RenderedMenu = { etag: string; body: Buffer }

/**
 * Menus rendered once a version and shared by all replicas through Redis. The version is part of the key, so
 * that nothing is ever invalidated; a replica asks the database for it every 0.6 s and restaurant. What was read
 * last is held in the process: asking Redis each time took a third of a menu's CPU here, mostly for the memory that
 * comes and goes. Without Redis each read of what is not held renders anew. Both functions give null when there is no such restaurant.
 */
export type MenuCache = {
  /** What `read` would give now is this. */
  etagOf(restaurantApiKey: string, includeCustomizations: boolean): Promise<string | null>
  read(restaurantApiKey: string, includeCustomizations: boolean): Promise<RenderedMenu | null>
}

type Wanted = { restaurantApiKey: string; version: number; includeCustomizations: boolean }

const renderMenu = responseRenderer(RestaurantMenu)

export function createMenuCache(db: Db, cache: Cache): MenuCache {
  const versions = createMemo<number | null>({ ttlMs: changeTimes.menuVersion, max: MAX_KEYS })
  const inHand = createMemo<RenderedMenu | null>({ ttlMs: 0, max: MAX_KEYS })
  const held = new LRUCache<string, RenderedMenu>({
    maxSize: HELD_BYTES,
    sizeCalculation: ({ body }) => body.length,
  })
  const versionOf = (restaurantApiKey: string) =>
    versions(restaurantApiKey, () => menuVersion(db, restaurantApiKey))

  async function render(restaurantApiKey: string, includeCustomizations: boolean) {
    const found = await findMenu(db, restaurantApiKey)
    if (!found) return null
    const body = Buffer.from(renderMenu(menuRecord(found.menu, includeCustomizations)))
    // Under the version that was read, which may be newer than the one that was asked for. Nobody waits for it.
    const key = keyOf(restaurantApiKey, found.version, includeCustomizations)
    void cache.set(key, body, Math.round(KEPT_SECONDS * (0.9 + 0.2 * Math.random())))
    return { etag: etagFor(found.version, includeCustomizations), body }
  }

  async function load(key: string, { restaurantApiKey, version, includeCustomizations }: Wanted) {
    const body = await cache.get(key)
    const menu = body
      ? { etag: etagFor(version, includeCustomizations), body }
      : await render(restaurantApiKey, includeCustomizations)
    if (menu) held.set(key, menu)
    return menu
  }

  return {
    async etagOf(restaurantApiKey, includeCustomizations) {
      const version = await versionOf(restaurantApiKey)
      return version === null ? null : etagFor(version, includeCustomizations)
    },
    async read(restaurantApiKey, includeCustomizations) {
      const version = await versionOf(restaurantApiKey)
      if (version === null) return null
      const key = keyOf(restaurantApiKey, version, includeCustomizations)
      return (
        held.get(key) ?? inHand(key, () => load(key, { restaurantApiKey, version, includeCustomizations }))
      )
    },
  }
}

const formOf = (includeCustomizations: boolean): string => `${RENDERING}-${includeCustomizations ? '1' : '0'}`

/** An apiKey has no colon. */
const keyOf = (restaurantApiKey: string, version: number, includeCustomizations: boolean): string =>
  `menu:${restaurantApiKey}:${version}:${formOf(includeCustomizations)}`

/** Strong: a version is rendered to the same bytes by everyone. */
const etagFor = (version: number, includeCustomizations: boolean): string =>
  `"${version}-${formOf(includeCustomizations)}"`
