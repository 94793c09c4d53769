/**
 * What the documentation says of an operation beyond its schemas. Tests hold every operation to having one,
 * and every example to its schema.
 */
export type Page = {
  /** Markdown, below the summary. */
  description: string
  /** Query parameters as one would send them. */
  query?: Record<string, unknown>
  /** Bodies, by what each shows in words; the first one is what a reader tries first. */
  bodies?: Record<string, unknown>
  answer: { description: string; example: unknown }
  /** Events of the endpoint as they come over the line; for one that has plain answers as well. */
  events?: string
  /** When the answer is a 204: there is nothing more to follow. */
  over?: string
  /** The answer has an ETag, and an If-None-Match with it saves the body. */
  revalidates?: true
  /** Offers the access key in the query as well: for browsers, whose EventSource sends no headers. */
  keyInQuery?: true
}

export type Pages = Record<string, Page>
