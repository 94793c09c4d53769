import { closeSync, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { z } from 'zod'

/** One line per order received. `at` is ISO 8601. */
const Receipt = z.object({
  at: z.iso.datetime(),
  orderApiKey: z.string(),
  // Absent in lines that the orders service wrote, before the simulators were a process of their own.
  restaurantApiKey: z.string().optional(),
  webhookId: z.string(),
  outcome: z.enum(['accepted', 'refused']),
})
type Receipt = z.infer<typeof Receipt>
export type Outcome = Receipt['outcome']

/** The orders that the simulated restaurants have received, as their file has them. */
export class Receipts {
  readonly #file: string
  readonly #outcomes: Map<string, Outcome | Promise<Outcome>>
  /** Of all orders that were accepted before this process started. */
  readonly restaurants: ReadonlySet<string>

  /** Reads the file, which is created when it is missing. Throws for a line that is no receipt. */
  constructor(file: string) {
    const receipts = readReceipts(file)
    this.#file = file
    this.#outcomes = new Map(receipts.map(({ orderApiKey, outcome }) => [orderApiKey, outcome]))
    this.restaurants = new Set(receipts.flatMap(({ restaurantApiKey }) => restaurantApiKey ?? []))
  }

  /** The outcome of an order that was received, also of one whose line is still being written. */
  outcomeOf(orderApiKey: string): Outcome | Promise<Outcome> | undefined {
    return this.#outcomes.get(orderApiKey)
  }

  /**
   * Appends the line of an order that is received for the first time. Resolves to the outcome that stands, once its line is
   * written: a repeated delivery has the outcome of the first one. When it rejects, the order was not received.
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
    // A crash cut the last line off before the delivery was answered: it is delivered again.
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
