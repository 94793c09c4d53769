import { eventually } from './eventually.ts'

export type StreamEvent = { event: string; id: string; data: unknown }

type Options = {
  /** Sent in the header. If absent, no key is sent. */
  key?: string
  lastEventId?: string | undefined
  /** Closes the stream. */
  signal?: AbortSignal
}

/** A stream of Server-Sent Events, from the view of a client. */
export class Stream {
  readonly status: number
  readonly headers: Headers
  readonly events: StreamEvent[] = []
  /** Blocks without events: comments, and the line with the reconnection time. */
  readonly others: string[] = []
  isOver = false
  readonly #abort: AbortController
  readonly #done: Promise<void>

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status
    this.headers = response.headers
    this.#abort = abort
    this.#done = this.#read(response).finally(() => (this.isOver = true))
  }

  static async open(url: string, { key, lastEventId, signal }: Options = {}): Promise<Stream> {
    const abort = new AbortController()
    const response = await fetch(url, {
      headers: {
        accept: 'text/event-stream',
        ...(key !== undefined && { 'x-access-token': key }),
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      signal: AbortSignal.any([abort.signal, ...(signal ? [signal] : [])]),
    })
    return new Stream(response, abort)
  }

  get lastEventId(): string | undefined {
    return this.events.at(-1)?.id
  }

  /** Returns the first matching event, past or future. Rejects after `withinMs`, or if the stream ends earlier. */
  async until(
    wanted: (event: StreamEvent, events: readonly StreamEvent[]) => boolean,
    withinMs = 30_000,
  ): Promise<StreamEvent> {
    const read = () => ({ isOver: this.isOver, found: this.events.find((one) => wanted(one, this.events)) })
    const { found } = await eventually(read, (now) => now.isOver || now.found !== undefined, withinMs, 10)
    if (found) return found
    throw new Error(`not among ${JSON.stringify(this.events.map(({ event, id }) => [event, id]))}`)
  }

  /** Resolves when the server has ended the stream, with or without an error. */
  ended(): Promise<void> {
    return this.#done
  }

  close(): void {
    this.#abort.abort()
  }

  async #read({ body }: Response): Promise<void> {
    let text = ''
    try {
      for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
        const blocks = `${text}${chunk}`.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) this.#take(block)
      }
    } catch {
      // If the client or the server cuts the stream, only the earlier events count.
    }
  }

  #take(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
    const event = field('event')
    if (event === undefined) return void this.others.push(block)
    this.events.push({ event, id: field('id') ?? '', data: JSON.parse(field('data') ?? 'null') })
  }
}
