import { z } from 'zod'
import { detailedRestaurant } from '#/examples.ts'
import { RestaurantInPath, ValidateOnly } from '#/inputs.ts'
import { operation } from '#/operation.ts'
import { Restaurant } from '#/records.ts'
import { ApiKey, characters, filledText, Money, moneyUpTo, Point, text } from '#/values.ts'

export const WEEK = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
const CLOCK = '(0?[1-9]|1[0-2]):[0-5]\\d [AP]M'

/** "11:00 AM - 3:00 AM". An end that is not later than the start is on the next day. */
const HoursRange = z
  .string()
  .regex(new RegExp(`^${CLOCK} - ${CLOCK}$`), 'is not a range like "11:00 AM - 9:30 PM"')

const amount = moneyUpTo(1_000_000)

const widthOf = (longitudes: number[]): number => Math.max(...longitudes) - Math.min(...longitudes)

/** On a flat map, an area across the 180th meridian would be the rest of the Earth. */
const Polygon = z
  .array(Point)
  .min(3)
  .max(1000)
  .refine(
    (points) => widthOf(points.map(({ longitude }) => longitude)) <= 180,
    'crosses the 180th meridian: split the zone there into one for each side',
  )

const ZoneInput = z
  .object({
    apiKey: ApiKey,
    description: text(500).optional(),
    zips: z.array(filledText(20)).max(1000).optional(),
    points: Polygon.optional(),
    holePoints: Polygon.optional(),
    maxRadius: z.number().min(0).max(100).optional().describe('Miles around the restaurant.'),
    deliveryMin: amount.optional().describe("When absent, the restaurant's own."),
    deliveryPrice: amount.optional().describe("When absent, the restaurant's own."),
  })
  .refine(
    ({ zips, points, maxRadius }) =>
      [zips, points, maxRadius].filter((area) => area !== undefined).length === 1,
    'needs exactly one of zips, points and maxRadius',
  )
  .meta({ id: 'DeliveryZoneInput', description: 'Needs exactly one of `zips`, `points` and `maxRadius`.' })

const isTimeZone = (name: string) => {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    // Intl has no validity check; it throws a RangeError for an unknown zone.
    return false
  }
}

/** The input for the record of a restaurant. `open` is computed, so it is ignored like an unknown field. */
export const RestaurantInput = z
  .object({
    apiKey: ApiKey.optional(),
    name: filledText(100),
    logoUrl: characters(500).default(''),
    url: characters(500).default(''),
    streetAddress: filledText(200),
    city: filledText(100),
    state: filledText(50),
    zip: filledText(20),
    ...Point.shape,
    phone: text(30),
    foodTypes: z.array(text(100)).max(50).default([]),
    deliveryMin: amount,
    deliveryPrice: amount,
    minFreeDelivery: Money.refine(
      (value) => value === -1 || (value >= 0 && value <= 1_000_000),
      'is neither -1 nor between 0 and 1,000,000',
    )
      .default(-1)
      .describe('Subtotal from which delivery is free; -1 when it never is.'),
    taxRate: z.number().min(0).max(1).describe('0.08 is 8 %; at most six decimals.'),
    acceptsCash: z.boolean(),
    acceptsCard: z.boolean(),
    offersPickup: z.boolean(),
    offersDelivery: z.boolean(),
    isTestRestaurant: z.boolean().default(false),
    customerCancelMinutes: z
      .int()
      .min(0)
      .max(1440)
      .default(5)
      .describe(
        'Minutes after an order in which its customer may cancel it, unless the restaurant has begun; 0: never.',
      ),
    minWaitTime: z.int().min(0).max(1440).default(0).describe('Minutes.'),
    maxWaitTime: z.int().min(0).max(1440).default(0).describe('Minutes.'),
    hours: z
      .partialRecord(z.enum(WEEK), z.array(HoursRange).max(10))
      .describe('A day may have several ranges. An end that is not later than the start is on the next day.'),
    timezone: z
      .string()
      .max(100)
      .refine(isTimeZone, 'is not a time zone')
      .describe('A name of the IANA database, for example `US/Central`.'),
    requireAttendance: z
      .boolean()
      .default(true)
      .describe(
        'False: customers can order during the opening hours even while the restaurant is unattended.',
      ),
    zones: z
      .array(ZoneInput)
      .max(100)
      .optional()
      .describe(
        'Without zones, a restaurant that delivers does so within five miles, for its own `deliveryMin` and `deliveryPrice`.',
      ),
  })
  .meta({ id: 'RestaurantInput' })
export type RestaurantInput = z.output<typeof RestaurantInput>

/** The record of a restaurant, as operators read it. */
export const OperatorRestaurant = Restaurant.extend({
  requireAttendance: z.boolean().describe('Whether it takes orders only while it is attended.'),
}).meta({ id: 'OperatorRestaurant' })

const { open: _open, ...newRestaurant } = detailedRestaurant

export const PutRestaurant = operation({
  name: 'put-restaurant',
  summary: 'Create or replace a restaurant',
  description:
    'Creates a restaurant, or replaces its whole record. Its menu stays. With `validate-only` nothing is stored: the response states whether the restaurant is valid.',
  method: 'PUT',
  path: '/operatorapi/v1/restaurants/:apiKey',
  owner: 'catalog',
  admission: 'priority',
  params: RestaurantInPath,
  query: ValidateOnly,
  body: RestaurantInput,
  response: OperatorRestaurant,
  returns: 'The restaurant.',
  examples: {
    bodies: { 'A restaurant': newRestaurant },
    response: { ...detailedRestaurant, requireAttendance: true },
  },
  problems: ['apikey-taken'],
})
