import { Bus } from '@platter/bus'
import { CatalogCompleteAddress, CatalogQuote, changeTimes } from '@platter/contracts'
import {
  createApp,
  internalSecrets,
  readJson,
  repeat,
  router,
  type Log,
  type Parts,
  type Repeater,
} from '@platter/kit'
import { deleteExpiredKeys } from '@platter/kit/idempotency/key-store'
import { migrate } from '@platter/kit/postgres/migrate'
import { connectPostgres } from '@platter/kit/postgres/postgres'
import type { Config } from '#/config.ts'
import { completeAddress } from '#/handlers/complete-address.ts'
import { answerQuote } from '#/handlers/quote.ts'
import { createGeocoder } from '#/outside/geocoder.ts'
import { choiceAvailability } from '#/routes/choice-availability.ts'
import { itemAvailability } from '#/routes/item-availability.ts'
import { itemCustomizations } from '#/routes/item-customizations.ts'
import { ownMenu } from '#/routes/own-menu.ts'
import { ownRestaurant } from '#/routes/own-restaurant.ts'
import { pauseRestaurant } from '#/routes/pause.ts'
import { putMenu } from '#/routes/put-menu.ts'
import { putRestaurant } from '#/routes/put-restaurant.ts'
import { restaurantDetails } from '#/routes/restaurant-details.ts'
import { restaurantMenu } from '#/routes/restaurant-menu.ts'
import { restaurantSearchTest } from '#/routes/restaurant-search-test.ts'
import { restaurantSearch } from '#/routes/restaurant-search.ts'
import { resumeRestaurant } from '#/routes/resume.ts'
import { clearPast } from '#/store/availability.ts'
import { restaurants } from '#/routes/restaurants.ts'
import type { Database } from '#/store/database.ts'
import { HeldRestaurants } from '#/store/held-restaurants.ts'
import { createMenuCache } from '#/store/menu-cache.ts'
import { connectCache } from '#/store/redis.ts'

const MIGRATIONS = new URL('../migrations', import.meta.url).pathname

/** Catalog: restaurants with their zones and menus, searching them, and the price of an order. */
export function wire(config: Config, log: Log): Parts {
  const postgres = connectPostgres<Database>(config.DATABASE_URL, config.DATABASE_POOL, log)
  const cache = connectCache(config.REDIS_URL, log)
  const bus = new Bus({ url: config.AMQP_URL, queues: config.BUS_QUEUES, service: 'catalog', log })
  const geocoder = createGeocoder(config.GEOCODER_URL)
  const { db } = postgres

  const secrets = internalSecrets(config)
  const app = createApp(log)
  readJson(app)
  const route = router(app, secrets)
  const searching = { db, geocoder, held: new HeldRestaurants(db) }
  restaurantSearch(route, searching)
  restaurantSearchTest(route, searching)
  restaurantDetails(route, { db, geocoder })
  restaurantMenu(route, createMenuCache(db, cache))
  itemCustomizations(route, db)
  ownRestaurant(route, db)
  ownMenu(route, db)
  itemAvailability(route, db)
  choiceAvailability(route, db)
  pauseRestaurant(route, db)
  resumeRestaurant(route, db)
  restaurants(route, db)
  putRestaurant(route, db)
  putMenu(route, db)

  bus.onQuestion(CatalogQuote, answerQuote({ db, geocoder }))
  bus.onQuestion(CatalogCompleteAddress, completeAddress(geocoder))

  const repeated: Repeater[] = []
  return {
    app,
    async start() {
      await migrate(db, MIGRATIONS, log)
      await bus.start()
      repeated.push(
        repeat('make available again', changeTimes.endedOverrides, () => clearPast(db), log),
        repeat('forget old idempotency keys', 3_600_000, () => deleteExpiredKeys(db), log),
      )
    },
    // Not Redis: without it menus are rendered anew, and nothing else is missing.
    checks: { postgres: () => postgres.check(), rabbitmq: () => bus.check() },
    quiesce: async () =>
      void (await Promise.all([bus.quiesce(), ...repeated.map((repeater) => repeater.stop())])),
    async close() {
      cache.close()
      await bus.close()
      await postgres.close()
    },
  }
}
