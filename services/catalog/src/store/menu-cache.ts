import { changeTimes, RestaurantMenu } from '@platter/contracts'
import { Cache, responseRenderer } from '@platter/kit'
import { menuRecord } from '#/domain/menu-record.ts'
import { RENDERING } from '#/revalidation.ts'
import type { MenuStore } from '#/store/menus.ts'
import type { RedisCache } from '#/store/redis-cache.ts'

const MAX_KEYS = 10_000
/** Menus of old versions leave Redis only when they expire. */
const EXPIRES_AFTER_SECONDS = 600
/** The most requested menus: 400 of 20 KB. A process has at most 200 MB. */
const MAX_BYTES = 8 * 1024 * 1024

/** The response bytes of a menu and their entity tag. */
type RenderedMenu = { etag: string; body: Buffer }

export type MenuCache = ReturnType<typeof createMenuCache>

type Request = { restaurantApiKey: string; version: number; includeCustomizations: boolean }

const renderMenu = responseRenderer(RestaurantMenu)

/**
 * Menus are rendered once per version and shared by all replicas through Redis. The key contains the version, so no entry is
 * invalidated. A replica reads the version of a restaurant from the database at most every 0.6 s. The most requested menus are also
 * cached in the process: reading each from Redis took a third of a menu's CPU, mostly for memory allocation. While Redis is
 * unavailable, a menu that is not cached in the process is rendered again. Both methods return null if the restaurant does not exist.
 */
export function createMenuCache(menus: Pick<MenuStore, 'version' | 'find'>, cache: RedisCache) {
  const versions = new Cache<number | null>({
    maxEntries: MAX_KEYS,
    ttlMs: changeTimes.menuVersion,
  })
  const inProcess = new Cache<RenderedMenu>({
    maxBytes: MAX_BYTES,
    sizeOf: ({ body }) => body.length,
  })
  const versionOf = (restaurantApiKey: string) =>
    versions.load(restaurantApiKey, () => menus.version(restaurantApiKey))

  async function render(restaurantApiKey: string, includeCustomizations: boolean) {
    const found = await menus.find(restaurantApiKey)
    if (!found) return null
    const body = Buffer.from(renderMenu(menuRecord(found.menu, includeCustomizations)))
    // Stored under its own version, which may be newer than the requested version. The response does not wait for Redis.
    const key = keyOf(restaurantApiKey, found.version, includeCustomizations)
    void cache.set(key, body, Math.round(EXPIRES_AFTER_SECONDS * (0.9 + 0.2 * Math.random())))
    return { etag: etagFor(found.version, includeCustomizations), body }
  }

  async function load(key: string, { restaurantApiKey, version, includeCustomizations }: Request) {
    const body = await cache.get(key)
    const menu = body
      ? { etag: etagFor(version, includeCustomizations), body }
      : await render(restaurantApiKey, includeCustomizations)
    return menu ?? undefined
  }

  return {
    /** Returns the entity tag of the result of `read`. */
    async etagOf(restaurantApiKey: string, includeCustomizations: boolean): Promise<string | null> {
      const version = await versionOf(restaurantApiKey)
      return version === null ? null : etagFor(version, includeCustomizations)
    },
    async read(restaurantApiKey: string, includeCustomizations: boolean): Promise<RenderedMenu | null> {
      const version = await versionOf(restaurantApiKey)
      if (version === null) return null
      const key = keyOf(restaurantApiKey, version, includeCustomizations)
      return (
        (await inProcess.load(key, () => load(key, { restaurantApiKey, version, includeCustomizations }))) ??
        null
      )
    },
  }
}

const formOf = (includeCustomizations: boolean): string => `${RENDERING}-${includeCustomizations ? '1' : '0'}`

/** An apiKey contains no colon. */
const keyOf = (restaurantApiKey: string, version: number, includeCustomizations: boolean): string =>
  `menu:${restaurantApiKey}:${version}:${formOf(includeCustomizations)}`

/** A strong entity tag (RFC 9110, 8.8.1), because all replicas render a version to the same bytes. */
const etagFor = (version: number, includeCustomizations: boolean): string =>
  `"${version}-${formOf(includeCustomizations)}"`
