import {
  cents,
  formatAmount,
  type CatalogQuote,
  type Cents,
  type Fault,
  type Point,
  type ProblemCode,
  type Quote,
} from '@platter/contracts'
import { closedReason, UNTIL_RESUMED, wallClock } from '#/domain/hours.ts'
import type { CustomizationGroup, Item } from '#/domain/menu.ts'
import { shareOf } from '#/domain/money.ts'
import { NOT_ON_MAP } from '#/domain/place.ts'
import type { Restaurant } from '#/domain/restaurant.ts'
import { deliveryTerms } from '#/domain/zones.ts'

export type QuoteRequest = ReturnType<typeof CatalogQuote.data.parse>
/** Pointers of faults refer to the body of send-order. */
export type QuoteResult = { faults: Fault[]; quote: Quote | null; subtotal?: Cents | null }

export type QuoteFacts = {
  /** Null if the restaurant does not exist. */
  restaurant: Restaurant | null
  /** The requested items of the restaurant, by apiKey. */
  items: ReadonlyMap<string, Item>
  /** Null for pickup, and for a delivery order without an address. */
  destination: Destination | null
}
export type Destination = { point: Point; zip: string } | 'not-on-map' | 'map-unavailable'

const fault = (pointer: string, code: ProblemCode, detail: string): Fault => ({ pointer, code, detail })

/** Checks and prices an order at `now` (epoch, ms) by docs/interface.md, "Order checks". Returns all faults together. */
export function quote(
  request: QuoteRequest,
  { restaurant, items, destination }: QuoteFacts,
  now: number,
): QuoteResult {
  if (!restaurant) {
    const nowhere = fault('/restaurantApiKey', 'restaurant-not-found', 'There is no such restaurant.')
    return { faults: [nowhere], quote: null }
  }
  const priced = request.items.map((item, index) =>
    priceItem(item, items.get(item.apiKey), `/items/${index}`),
  )
  const itemFaults = priced.flatMap((item) => item.faults)
  const subtotal = sum(priced.map(({ line }) => line?.totalPrice ?? cents(0)))
  const isPriced = itemFaults.length === 0
  const delivery = request.method === 'delivery' ? deliveryOf(restaurant, destination) : PICKUP
  const faults = [
    ...termFaults(request, restaurant, now),
    ...itemFaults,
    ...delivery.faults,
    // The subtotal is known only if no item has a fault.
    ...(isPriced ? minimumFaults(delivery.minimum, subtotal) : []),
  ]
  if (faults.length > 0) return { faults, quote: null, subtotal: isPriced ? subtotal : null }
  const { minFreeDelivery, taxRatePpm } = restaurant
  const isFree = minFreeDelivery !== null && subtotal >= minFreeDelivery
  return {
    faults,
    quote: {
      items: priced.flatMap(({ line }) => (line ? [line] : [])),
      subtotal,
      tax: shareOf(subtotal, taxRatePpm),
      deliveryPrice: isFree ? cents(0) : delivery.price,
      point: delivery.point,
      customerCancelMinutes: restaurant.customerCancelMinutes,
      restaurantName: restaurant.name,
      restaurantPhone: restaurant.phone,
    },
  }
}

const sum = (amounts: readonly Cents[]): Cents =>
  cents(amounts.reduce<number>((total, amount) => total + amount, 0))

function termFaults({ method, payment, test }: QuoteRequest, restaurant: Restaurant, now: number): Fault[] {
  const { name } = restaurant
  const faults: Fault[] = []
  const closed = closedDetail(restaurant, now)
  if (closed !== null) faults.push(fault('/restaurantApiKey', 'restaurant-closed', closed))
  const offered = method === 'pickup' ? restaurant.offersPickup : restaurant.offersDelivery
  if (!offered) faults.push(fault('/method', 'method-not-offered', `${name} does not offer ${method}.`))
  const accepted = payment === 'cash' ? restaurant.acceptsCash : restaurant.acceptsCard
  if (!accepted) {
    faults.push(fault('/payment', 'payment-not-accepted', `${name} does not accept payment by ${payment}.`))
  }
  if (test && !restaurant.isTestRestaurant) {
    faults.push(
      fault('/test', 'not-a-test-restaurant', `${name} is not a test restaurant: it takes no test orders.`),
    )
  }
  if (!test && restaurant.isTestRestaurant) {
    faults.push(
      fault('/test', 'test-restaurant-only', `${name} is a test restaurant: it takes test orders only.`),
    )
  }
  return faults
}

function closedDetail(restaurant: Restaurant, now: number): string | null {
  const { name, timezone, pausedUntil } = restaurant
  const reason = closedReason(restaurant, now)
  if (reason === null) return null
  if (reason === 'hours') return `${name} is closed at the moment.`
  if (reason === 'unattended' || pausedUntil === null)
    return `${name} is currently not connected and takes no orders. Please try again later.`
  if (pausedUntil === UNTIL_RESUMED) return `${name} has paused and takes no orders until it resumes.`
  return `${name} has paused and takes no orders until ${wallClock(timezone, pausedUntil)}.`
}

// Delivery -------------------------------------------------------------------------------------------------

type Delivery = { faults: Fault[]; minimum: Cents; price: Cents; point: Point | null }

const PICKUP: Delivery = { faults: [], minimum: cents(0), price: cents(0), point: null }

function deliveryOf(restaurant: Restaurant, destination: Destination | null): Delivery {
  // The method already has a fault (`termFaults`), so the address has none.
  if (!restaurant.offersDelivery) return PICKUP
  if (destination === null) return { ...PICKUP, price: restaurant.deliveryPrice }
  if (typeof destination === 'string') return { ...PICKUP, faults: [notLocated(destination)] }
  const terms = deliveryTerms(restaurant, destination)
  if (!terms) {
    const detail = `${restaurant.name} does not deliver to this address.`
    return { ...PICKUP, faults: [fault('/address', 'address-undeliverable', detail)] }
  }
  return { faults: [], minimum: terms.deliveryMin, price: terms.deliveryPrice, point: destination.point }
}

const notLocated = (reason: 'not-on-map' | 'map-unavailable'): Fault =>
  reason === 'not-on-map'
    ? fault('/address', 'address-not-found-on-map', NOT_ON_MAP)
    : fault('/address', 'service-unavailable', 'Addresses cannot be looked up right now. Please try again.')

function minimumFaults(minimum: Cents, subtotal: Cents): Fault[] {
  if (subtotal >= minimum) return []
  const detail = `The minimum for delivery is ${formatAmount(minimum)}; the items come to ${formatAmount(subtotal)}.`
  return [fault('/items', 'below-delivery-minimum', detail)]
}

// Items ----------------------------------------------------------------------------------------------------

type Line = Quote['items'][number]
type Chosen = {
  group: CustomizationGroup
  count: number
  available: boolean
} & Line['customizationChoices'][number]

/** Prices an item: its base price, the base price of each used group once, and the prices of the choices. */
function priceItem(
  { customizationChoices }: QuoteRequest['items'][number],
  item: Item | undefined,
  at: string,
): { faults: Fault[]; line: Line | null } {
  if (!item) {
    const detail = 'The restaurant has no such item.'
    return { faults: [fault(`${at}/apiKey`, 'item-not-found', detail)], line: null }
  }
  const known = new Map(choicesOf(item).map((choice) => [choice.apiKey, choice]))
  const chosen = customizationChoices.map((apiKey) => known.get(apiKey))
  const choices = chosen.filter((choice) => choice !== undefined)
  const faults = [
    ...(item.available ? [] : [fault(`${at}/apiKey`, 'item-unavailable', `${item.name} is not available.`)]),
    ...chosen.flatMap((choice, index) =>
      choiceFaults(item, choice, `${at}/customizationChoices/${index}/apiKey`),
    ),
    ...item.customizationGroups.flatMap((group) =>
      groupFaults(item, { group, choices, at: `${at}/customizationChoices` }),
    ),
  ]
  const used = item.customizationGroups.filter((group) => choices.some((choice) => choice.group === group))
  return {
    faults,
    line: {
      apiKey: item.apiKey,
      name: item.name,
      basePrice: item.basePrice,
      totalPrice: sum([
        item.basePrice,
        ...used.map((group) => group.basePrice),
        ...choices.map(({ price }) => price),
      ]),
      customizationChoices: choices.map(({ apiKey, details, price }) => ({ apiKey, details, price })),
    },
  }
}

const choicesOf = (item: Item): Chosen[] =>
  item.customizationGroups.flatMap((group) =>
    group.customizations.flatMap((customization) =>
      customization.customizationChoices.map(({ apiKey, name, price, count, available }) => ({
        group,
        count,
        available,
        apiKey,
        details: `${customization.name}: ${name}`,
        price,
      })),
    ),
  )

function choiceFaults(item: Item, choice: Chosen | undefined, at: string): Fault[] {
  if (!choice) return [fault(at, 'customization-unknown', `${item.name} has no such choice.`)]
  return choice.available
    ? []
    : [fault(at, 'item-unavailable', `${item.name}: ${choice.details} is not available.`)]
}

type Choosing = { group: CustomizationGroup; choices: readonly Chosen[]; at: string }

/**
 * Checks a group of the item, also one without a choice. A repeated choice counts each time. The detail names the item, because
 * several items of an order may have a group of the same name.
 */
function groupFaults(item: Item, { group, choices, at }: Choosing): Fault[] {
  const count = choices.reduce((total, choice) => total + (choice.group === group ? choice.count : 0), 0)
  if (count < group.minCount) {
    const detail = `${item.name}: "${group.name}" needs at least ${group.minCount}, chosen: ${count}.`
    return [fault(at, 'customization-required', detail)]
  }
  if (count > group.maxCount) {
    const detail = `${item.name}: "${group.name}" takes at most ${group.maxCount}, chosen: ${count}.`
    return [fault(at, 'customization-limit', detail)]
  }
  return []
}
