import { ProblemDocument, type Operation } from '@platter/contracts'
import { z } from 'zod'
import { EXIT, Failure } from '#/exit.ts'
import type { Target } from '#/target.ts'

/** Longer than the response of any endpoint takes. */
const RESPONSE_TIMEOUT_MS = 30_000

type Request = {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number | boolean>>
  body?: unknown
}

/** A request whose response was a problem. */
export class Rejected extends Failure {
  readonly problem: ProblemDocument
  constructor(problem: ProblemDocument) {
    const isTemporary = problem.status === 503 || problem.status === 504
    super(isTemporary ? EXIT.unreachable : EXIT.refused, detailsOf(problem))
    this.problem = problem
  }
}

/** Returns the details of all faults, one per line. `details` is usually that of the first fault. */
const detailsOf = ({ details, errors }: ProblemDocument): string =>
  [...new Set([details, ...errors.map(({ detail }) => detail)])].join('\n')

type Page<O extends Operation> = { value: z.output<O['response']>; next: string | null }

export type Api = ReturnType<typeof apiOf>

/**
 * Returns a client of the operator interface. Responses are checked by the schemas of the contracts. Throws Rejected for a problem,
 * and Failure without a response.
 */
export function apiOf({ url, key }: Target) {
  async function send<O extends Operation>(operation: O, target: string, body?: unknown): Promise<Page<O>> {
    const { response, text } = await responseOf(url, target, {
      method: operation.method,
      headers: {
        'x-access-token': key,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        // A gateway that dies before its response may have executed the request, so a retry needs the key.
        ...(operation.method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const value = read(operation, documentOf(url, response.status, text))
    return { value, next: /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null }
  }

  async function call<O extends Operation>(
    operation: O,
    { params, query, body }: Request = {},
  ): Promise<z.output<O['response']>> {
    const { value } = await send(operation, targetOf(operation, params, query), body)
    return value
  }

  /** Reads page by page, as long as a `Link` header leads to the next page. */
  async function* pages<O extends Operation>(
    operation: O,
    { params, query }: Omit<Request, 'body'> = {},
  ): AsyncGenerator<z.output<O['response']>> {
    let target: string | null = targetOf(operation, params, query)
    while (target !== null) {
      const page: Page<O> = await send(operation, target)
      yield page.value
      target = page.next
    }
  }

  /** Returns all elements of a list. */
  async function all<T>(
    operation: Operation & { response: z.ZodType<T[]> },
    request: Request = {},
  ): Promise<T[]> {
    const list: T[] = []
    for await (const page of pages(operation, { ...request, query: { limit: 200, ...request.query } }))
      list.push(...page)
    return list
  }

  return { call, pages, all }
}

/** Returns the result of a request; null while a part of the platform is unavailable. */
export async function unlessUnavailable<T>(load: () => Promise<T>): Promise<T | null> {
  try {
    return await load()
  } catch (error) {
    if (error instanceof Failure && error.code === EXIT.unreachable) return null
    throw error
  }
}

function targetOf({ path }: Operation, params: Request['params'] = {}, query: Request['query'] = {}): string {
  const target = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return search.size === 0 ? target : `${target}?${search.toString()}`
}

async function responseOf(
  url: string,
  target: string,
  init: RequestInit,
): Promise<{ response: Response; text: string }> {
  try {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
    const response = await fetch(`${url}${target}`, { ...init, signal })
    return { response, text: await response.text() }
  } catch (error) {
    // The message of fetch is "fetch failed", or "terminated" in the body; the reason (ECONNREFUSED …) is in its cause.
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : message
    throw new Failure(EXIT.unreachable, `${url} cannot be reached: ${reason}`)
  }
}

function documentOf(url: string, status: number, text: string): unknown {
  const document = parseJson(text)
  if (status === 200 && document !== undefined) return document
  const problem = ProblemDocument.safeParse(document)
  if (problem.success && problem.data.code === 'no-such-endpoint')
    throw new Failure(
      EXIT.refused,
      `${url} does not have this endpoint. Give the address of the platform without a path. It may also have another version.`,
    )
  if (problem.success) throw new Rejected(problem.data)
  throw new Failure(
    EXIT.unreachable,
    `${url} responded with ${status} and no problem document: it is not a Platter platform.`,
  )
}

function read<O extends Operation>(operation: O, document: unknown): z.output<O['response']> {
  const parsed = operation.response.safeParse(document)
  if (parsed.success) return parsed.data as z.output<O['response']>
  throw new Failure(
    EXIT.unreachable,
    `The response does not match ${operation.name}. The platform may have another version.\n${z.prettifyError(parsed.error)}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
