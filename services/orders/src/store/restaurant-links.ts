import type { RestaurantLink } from '@platter/contracts'
import type { Db } from '#/store/tables.ts'

export async function put(db: Db, restaurantApiKey: string, link: RestaurantLink): Promise<void> {
  const text = JSON.stringify(link)
  await db
    .insertInto('restaurant_links')
    .values({ restaurant_api_key: restaurantApiKey, link: text })
    .onConflict((conflict) => conflict.column('restaurant_api_key').doUpdateSet({ link: text }))
    .execute()
}
