import { z } from 'zod'

/*
 * Responses from the view of strictly typed languages. The types of numbers and lists are those that clients of the original
 * interface declare, by the names of members. They do not depend on the schemas of Platter.
 */

/** A number is decoded by its written form: `8` and `8.00` are equal for JSON.parse, but have different types for these readers. */
const FORMS = [
  {
    name: 'two decimals',
    form: /^-?\d+\.\d\d$/,
    members: /^(\w*[pP]rice|subtotal|tax|tip|total|refundedTotal|amount|deliveryMin|minFreeDelivery)$/,
  },
  { name: 'a decimal', form: /^-?\d+\.\d+$/, members: /^(latitude|longitude|maxRadius|taxRate)$/ },
  {
    name: 'an integer',
    form: /^-?\d+$/,
    members:
      /^(id|date(Placed)?|opensAt|count|m(in|ax)(Count|WaitTime)|customerCancelMinutes|status|errorCode)$/,
  },
]

/** Such readers take the first element without a check of the length. Hours have a list for each day. */
const FILLED = /^(zips|points|holePoints|customizations|items|\w+day)$/

/** Returns the faults of a response for such a reader. An empty result means that it can decode the response. */
export function complaints(response: z.ZodType, json: string): string[] {
  const found: string[] = []
  function check(this: object, name: string, value: unknown, { source = '' }: { source?: string }): unknown {
    if (typeof value === 'number') {
      const expected = FORMS.find(({ members }) => members.test(name))
      if (!expected?.form.test(source))
        found.push(`${name}: expected ${expected?.name ?? 'no number'}, received ${source}`)
    }
    // An item of an order may have no choices, but a menu shows a customization only for its choices.
    const isFilled = FILLED.test(name) || (name === 'customizationChoices' && 'type' in this)
    if (isFilled && Array.isArray(value) && value.length === 0) found.push(`${name}: expected an element`)
    return value
  }
  // ECMAScript 2026 gives the source text of a number. TypeScript 7.0 has no type for it.
  const value: unknown = JSON.parse(json, check as Parameters<typeof JSON.parse>[1])
  const { error } = response.safeParse(value)
  const faults = (error?.issues ?? []).map(({ path, message }) => `/${path.join('/')}: ${message}`)
  return [...found, ...faults]
}

type JsonSchema = z.core.JSONSchema.JSONSchema

/** Returns the members that responses may lack, and those that may be null, by record. */
export function membersWithoutValue(responses: readonly z.ZodType[]): { absent: string[]; null: string[] } {
  const found = { absent: new Set<string>(), null: new Set<string>() }
  const walk = (schema: JsonSchema, at: string): void => {
    const { properties = {}, required = [], items, anyOf = [], type } = schema
    for (const [name, member] of Object.entries(properties)) {
      if (!required.includes(name)) found.absent.add(`${at}.${name}`)
      walk(member as JsonSchema, `${at}.${name}`)
    }
    if ([type].flat().includes('null')) found.null.add(at)
    for (const inner of [...anyOf, ...(items ? [items] : [])]) walk(inner as JsonSchema, at)
  }
  for (const { $defs = {}, ...response } of responses.map((one) => z.toJSONSchema(one)))
    for (const [record, schema] of Object.entries({ ...$defs, response })) walk(schema, record)
  return { absent: [...found.absent].toSorted(), null: [...found.null].toSorted() }
}
