import { closeSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { z } from 'zod'

/** One line per received order. `at` is ISO 8601. */
const Receipt = z.object({
  at: z.iso.datetime(),
  orderApiKey: z.string(),
  // Absent in lines of an older version, which the orders service wrote.
  restaurantApiKey: z.string().optional(),
  webhookId: z.string(),
  outcome: z.enum(['accepted', 'refused']),
})
type Receipt = z.infer<typeof Receipt>
export type Outcome = Receipt['outcome']

/** The orders that the simulated restaurants have received, from their file. */
export class Receipts {
  readonly #file: string
  readonly #outcomes: Map<string, Outcome | Promise<Outcome>>
  /** The restaurants of all orders that were received before this process started. */
  readonly restaurants: ReadonlySet<string>

  /** Reads the file, and creates it if it is missing. Throws for an invalid line. */
  constructor(file: string) {
    const receipts = readReceipts(file)
    this.#file = file
    this.#outcomes = new Map(receipts.map(({ orderApiKey, outcome }) => [orderApiKey, outcome]))
    this.restaurants = new Set(receipts.flatMap(({ restaurantApiKey }) => restaurantApiKey ?? []))
  }

  /** Returns the outcome of a received order, even while its line is being written. */
  outcomeOf(orderApiKey: string): Outcome | Promise<Outcome> | undefined {
    return this.#outcomes.get(orderApiKey)
  }

  /**
   * Appends the line of a new order. Resolves to the outcome once the line is written; a repeated delivery has the outcome of the
   * first one. If it rejects, the order was not received.
   */
  async record(receipt: Omit<Receipt, 'at'>): Promise<Outcome> {
    const { orderApiKey } = receipt
    const known = this.#outcomes.get(orderApiKey)
    if (known !== undefined) return known
    const written = this.#append(receipt)
    this.#outcomes.set(orderApiKey, written)
    try {
      return await written
    } catch (error) {
      this.#outcomes.delete(orderApiKey)
      throw error
    }
  }

  async #append(receipt: Omit<Receipt, 'at'>): Promise<Outcome> {
    await appendFile(this.#file, `${JSON.stringify({ at: new Date().toISOString(), ...receipt })}\n`)
    return receipt.outcome
  }
}

function readReceipts(file: string): Receipt[] {
  const descriptor = openSync(file, 'a+')
  try {
    const text = readFileSync(descriptor, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    // A crash has cut off the last line before the response, so the delivery will be repeated.
    if (whole.length < text.length) ftruncateSync(descriptor, Buffer.byteLength(whole))
    return whole
      .split('\n')
      .slice(0, -1)
      .map((line, index) => parseLine(line, `${file}:${index + 1}`))
  } finally {
    closeSync(descriptor)
  }
}

function parseLine(line: string, where: string): Receipt {
  try {
    return Receipt.parse(JSON.parse(line))
  } catch (cause) {
    throw new Error(`${where} is not a receipt`, { cause })
  }
}
