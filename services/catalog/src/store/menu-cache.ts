import { changeTimes, RestaurantMenu } from '@platter/contracts'
import { responseRenderer } from '@platter/kit'
import { LRUCache } from 'lru-cache'
import { menuRecord } from '#/domain/menu-record.ts'
import { RENDERING } from '#/revalidation.ts'
import { singleFlight } from '#/single-flight.ts'
import type { MenuStore } from '#/store/menus.ts'
import type { Cache } from '#/store/redis-cache.ts'

const MAX_KEYS = 10_000
/** Menus of old versions leave Redis by expiry only. */
const EXPIRES_AFTER_SECONDS = 600
/** The most requested menus: 400 of 20 KB. A process has 200 MB at most. */
const MAX_BYTES = 8 * 1024 * 1024

/** The response bytes of a menu and their entity tag. */
export type RenderedMenu = { etag: string; body: Buffer }

/** Both methods return null when the restaurant does not exist. */
export type MenuCache = {
  /** The entity tag of what `read` returns. */
  etagOf(restaurantApiKey: string, includeCustomizations: boolean): Promise<string | null>
  read(restaurantApiKey: string, includeCustomizations: boolean): Promise<RenderedMenu | null>
}

type Request = { restaurantApiKey: string; version: number; includeCustomizations: boolean }

const renderMenu = responseRenderer(RestaurantMenu)

/**
 * Menus are rendered once per version and shared by all replicas through Redis. The version is part of the key, so that nothing is
 * invalidated; a replica reads the version of a restaurant from the database every 0.6 s at most. The most requested menus are also
 * in the process: reading from Redis each time took a third of a menu's CPU here, mostly for allocating its memory. While Redis is
 * unavailable, a menu that is not in the process is rendered again.
 */
export function createMenuCache(menus: Pick<MenuStore, 'version' | 'find'>, cache: Cache): MenuCache {
  const versions = singleFlight<number | null>({ ttlMs: changeTimes.menuVersion, max: MAX_KEYS })
  const loads = singleFlight<RenderedMenu | null>({ ttlMs: 0, max: MAX_KEYS })
  const inProcess = new LRUCache<string, RenderedMenu>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ body }) => body.length,
  })
  const versionOf = (restaurantApiKey: string) =>
    versions(restaurantApiKey, () => menus.version(restaurantApiKey))

  async function render(restaurantApiKey: string, includeCustomizations: boolean) {
    const found = await menus.find(restaurantApiKey)
    if (!found) return null
    const body = Buffer.from(renderMenu(menuRecord(found.menu, includeCustomizations)))
    // Under its own version, which may be newer than the requested one. The response does not wait for Redis.
    const key = keyOf(restaurantApiKey, found.version, includeCustomizations)
    void cache.set(key, body, Math.round(EXPIRES_AFTER_SECONDS * (0.9 + 0.2 * Math.random())))
    return { etag: etagFor(found.version, includeCustomizations), body }
  }

  async function load(key: string, { restaurantApiKey, version, includeCustomizations }: Request) {
    const body = await cache.get(key)
    const menu = body
      ? { etag: etagFor(version, includeCustomizations), body }
      : await render(restaurantApiKey, includeCustomizations)
    if (menu) inProcess.set(key, menu)
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
      const request = { restaurantApiKey, version, includeCustomizations }
      return inProcess.get(key) ?? loads(key, () => load(key, request))
    },
  }
}

const formOf = (includeCustomizations: boolean): string => `${RENDERING}-${includeCustomizations ? '1' : '0'}`

/** An apiKey contains no colon. */
const keyOf = (restaurantApiKey: string, version: number, includeCustomizations: boolean): string =>
  `menu:${restaurantApiKey}:${version}:${formOf(includeCustomizations)}`

/** Strong (RFC 9110, 8.8.1): all replicas render a version to the same bytes. */
const etagFor = (version: number, includeCustomizations: boolean): string =>
  `"${version}-${formOf(includeCustomizations)}"`
