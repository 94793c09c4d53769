import type { CustomizationGroup, MenuItem } from '@platter/contracts'

/*
 * A second, different implementation of docs/interface.md, "Order prices", to compare with the responses of the service. It
 * computes money as decimal text and big integers, never as a floating-point number.
 */

/** Returns the whole cents of an amount in its written form: 10.5 is 1050n. */
export function cents(amount: number): bigint {
  const [whole = '0', fraction = ''] = String(amount).split('.')
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0').slice(0, 2))
}

/** Returns the tax in cents, from the written rate. An exact half of a cent is rounded up. */
export function taxOn(subtotal: bigint, rate: number): bigint {
  const [, digits = ''] = rate.toFixed(6).split('.')
  const thousandth = subtotal * BigInt(digits) + (rate >= 1 ? subtotal * 1_000_000n : 0n)
  return thousandth / 1_000_000n + (thousandth % 1_000_000n >= 500_000n ? 1n : 0n)
}

export type Ordered = { item: MenuItem; choices: readonly string[] }

/** Returns the price of an item or its faults: code and end of the pointer, one for each kind and place. */
export function judge({ item, choices }: Ordered): { price: bigint; faults: string[] } {
  const groups = item.customizationGroups ?? []
  const faults = item.available ? [] : ['item-unavailable /apiKey']
  let price = cents(item.basePrice)
  for (const [at, key] of choices.entries()) {
    const choice = groups.flatMap(choicesOf).find(({ apiKey }) => apiKey === key)
    if (!choice) faults.push(`customization-unknown /customizationChoices/${at}/apiKey`)
    else if (!choice.available) faults.push(`item-unavailable /customizationChoices/${at}/apiKey`)
    if (choice) price += cents(choice.price)
  }
  for (const group of groups) {
    const own = choicesOf(group)
    const chosen = choices.flatMap((key) => own.find(({ apiKey }) => apiKey === key) ?? [])
    const used = chosen.reduce((sum, { count }) => sum + count, 0)
    if (used < group.minCount) faults.push('customization-required /customizationChoices')
    if (used > group.maxCount) faults.push('customization-limit /customizationChoices')
    if (chosen.length > 0) price += cents(group.basePrice)
  }
  return { price, faults }
}

export const choicesOf = (group: CustomizationGroup) =>
  group.customizations.flatMap(({ customizationChoices }) => customizationChoices)
