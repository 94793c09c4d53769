import { cents, WEEK } from '@platter/contracts'
import type { CustomizationGroup, Item } from '#/domain/menu.ts'
import type { Restaurant, Zone } from '#/domain/restaurant.ts'

/* Ajanta, an Indian restaurant in Madison that is always open. */

const ALWAYS = ['12:00 AM - 12:00 AM']

export const ajanta: Restaurant = {
  apiKey: 'ajanta',
  name: 'Ajanta',
  logoUrl: '',
  url: '',
  streetAddress: '1 Capitol Square',
  city: 'Madison',
  state: 'WI',
  zip: '53703',
  latitude: 43.0747,
  longitude: -89.3844,
  phone: '608-555-0100',
  foodTypes: ['Indian', 'Vegetarian'],
  deliveryMin: cents(1500),
  deliveryPrice: cents(299),
  minFreeDelivery: null,
  taxRatePpm: 55_000,
  acceptsCash: true,
  acceptsCard: true,
  offersPickup: true,
  offersDelivery: true,
  isTestRestaurant: false,
  customerCancelMinutes: 5,
  minWaitTime: 30,
  maxWaitTime: 45,
  hours: Object.fromEntries(WEEK.map((day) => [day, ALWAYS])),
  timezone: 'US/Central',
  zones: [],
  requireAttendance: true,
  isAttended: true,
  pausedUntil: null,
}

/** A zone without an area. */
export const aZone = (over: Partial<Zone>): Zone => ({
  apiKey: 'zone',
  description: null,
  zips: null,
  points: null,
  holePoints: null,
  maxRadius: null,
  deliveryMin: cents(1000),
  deliveryPrice: cents(199),
  ...over,
})

/** 12.50, without choices. */
export const vindaloo: Item = {
  apiKey: 'vindaloo',
  name: 'Chicken Vindaloo',
  description: null,
  basePrice: cents(1250),
  available: true,
  customizationGroups: [],
}

const heat: CustomizationGroup = {
  apiKey: 'heat',
  name: 'Heat',
  minCount: 1,
  maxCount: 1,
  basePrice: cents(0),
  customizations: [
    {
      apiKey: 'how-hot',
      name: 'How hot',
      type: 'spice',
      customizationChoices: [
        { apiKey: 'mild', name: 'Mild', price: cents(0), count: 1, available: true },
        { apiKey: 'hot', name: 'Hot', price: cents(25), count: 1, available: true },
        { apiKey: 'hellish', name: 'Hellish', price: cents(50), count: 1, available: false },
      ],
    },
  ],
}

const basket: CustomizationGroup = {
  apiKey: 'basket',
  name: 'Bread basket',
  minCount: 0,
  maxCount: 3,
  basePrice: cents(100),
  customizations: [
    {
      apiKey: 'bread',
      name: 'Bread',
      type: 'side',
      customizationChoices: [
        { apiKey: 'naan', name: 'Naan', price: cents(275), count: 1, available: true },
        { apiKey: 'stuffed', name: 'Stuffed naan', price: cents(450), count: 2, available: true },
        { apiKey: 'no-butter', name: 'No butter', price: cents(0), count: 0, available: true },
      ],
    },
  ],
}

/** 10.95. Requires one choice of "Heat" and allows up to three breads, which add 1.00 once. */
export const korma: Item = {
  apiKey: 'korma',
  name: 'Korma',
  description: 'Cashews and cream',
  basePrice: cents(1095),
  available: true,
  customizationGroups: [heat, basket],
}
