import { join } from 'node:path'
import { Bus } from '@platter/bus'
import {
  CatalogAttendance,
  CatalogCompleteAddress,
  CatalogQuote,
  CatalogUnattended,
  changeTimes,
  ChoiceAvailability,
  ItemAvailability,
  ItemCustomizations,
  OwnMenu,
  OwnRestaurant,
  PauseRestaurant,
  PutMenu,
  PutRestaurant,
  RestaurantDetails,
  RestaurantMenu,
  Restaurants,
  RestaurantSearch,
  RestaurantSearchTest,
  ResumeRestaurant,
} from '@platter/contracts'
import { createApp, internalSecrets, readJson, router, type Log, type Parts } from '@platter/kit'
import { deleteExpiredKeys } from '@platter/kit/idempotency/key-store'
import { schemaOwner } from '@platter/kit/lifecycle/schema-owner'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import type { Config } from '#/config.ts'
import { completeAddress } from '#/handlers/complete-address.ts'
import { quoteOrder } from '#/handlers/quote.ts'
import { findUnattended } from '#/handlers/unattended.ts'
import { createGeocoder } from '#/outside/geocoder.ts'
import { choiceAvailability } from '#/routes/choice-availability.ts'
import { itemAvailability } from '#/routes/item-availability.ts'
import { itemCustomizations } from '#/routes/item-customizations.ts'
import { ownMenu } from '#/routes/own-menu.ts'
import { ownRestaurant } from '#/routes/own-restaurant.ts'
import { pause } from '#/routes/pause.ts'
import { putMenu } from '#/routes/put-menu.ts'
import { putRestaurant } from '#/routes/put-restaurant.ts'
import { restaurantDetails } from '#/routes/restaurant-details.ts'
import { restaurantMenu } from '#/routes/restaurant-menu.ts'
import { restaurantSearchTest } from '#/routes/restaurant-search-test.ts'
import { restaurantSearch } from '#/routes/restaurant-search.ts'
import { resume } from '#/routes/resume.ts'
import { listRestaurants } from '#/routes/restaurants.ts'
import { postgresAttendance } from '#/store/attendance.ts'
import { clearExpired, postgresAvailability } from '#/store/availability-overrides.ts'
import { postgresCandidates } from '#/store/candidates.ts'
import { createMenuCache } from '#/store/menu-cache.ts'
import { postgresMenus } from '#/store/menus.ts'
import { connectCache } from '#/store/redis-cache.ts'
import { RestaurantCache } from '#/store/restaurant-cache.ts'
import { postgresRestaurants } from '#/store/restaurants.ts'

const MIGRATIONS = join(import.meta.dirname, '../migrations')

/** Catalog: restaurants with their zones and menus, their search, and the prices of orders. */
export function wire(config: Config, log: Log): Parts {
  const postgres = connectPostgres(config.DATABASE_URL, config.DATABASE_POOL, log, {
    statements: config.DATABASE_STATEMENTS,
  })
  const cache = connectCache(config.REDIS_URL, log)
  const bus = new Bus({ url: config.AMQP_URL, queues: config.BUS_QUEUES, service: 'catalog', log })
  const { db } = postgres

  const secrets = internalSecrets(config)
  const app = createApp(log, { tlsDirectory: config.TLS_DIRECTORY })
  readJson(app)
  const route = router(app, secrets)

  const restaurants = postgresRestaurants(db)
  const menus = postgresMenus(db)
  const restaurantCache = new RestaurantCache(restaurants)
  const deps = {
    db,
    geocoder: createGeocoder(config.GEOCODER_URL),
    restaurants,
    restaurantCache,
    candidates: postgresCandidates(db, restaurantCache),
    menus,
    menuCache: createMenuCache(menus, cache),
    availability: postgresAvailability,
    attendance: postgresAttendance(db),
  }
  route(RestaurantSearch, restaurantSearch(deps))
  route(RestaurantSearchTest, restaurantSearchTest(deps))
  route(RestaurantDetails, restaurantDetails(deps))
  route(RestaurantMenu, restaurantMenu(deps))
  route(ItemCustomizations, itemCustomizations(deps))
  route(OwnRestaurant, ownRestaurant(deps))
  route(OwnMenu, ownMenu(deps))
  route(ItemAvailability, itemAvailability(deps))
  route(ChoiceAvailability, choiceAvailability(deps))
  route(PauseRestaurant, pause(deps))
  route(ResumeRestaurant, resume(deps))
  route(Restaurants, listRestaurants(deps))
  route(PutRestaurant, putRestaurant(deps))
  route(PutMenu, putMenu(deps))

  bus.onQuestion(CatalogQuote, quoteOrder(deps))
  bus.onQuestion(CatalogUnattended, findUnattended(deps))
  bus.onCommand(CatalogAttendance, (data) => deps.attendance.store(data))
  bus.onQuestion(CatalogCompleteAddress, completeAddress(deps))

  return schemaOwner(
    { app, log, postgres, bus, migrations: MIGRATIONS },
    {
      repeat(repeaters) {
        repeaters.repeat('clear expired availability overrides', changeTimes.endedOverrides, () =>
          clearExpired(db),
        )
        repeaters.repeat('delete expired idempotency keys', 3_600_000, () => deleteExpiredKeys(db))
      },
      // Without Redis menus are rendered again; all other functions work.
      connections: [cache],
    },
  )
}
