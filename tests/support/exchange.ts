import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Duplex, Writable } from 'node:stream'

export type Exchanged = {
  /** 0 means that no response arrived. */
  status: number
  /** The connection was closed before the end of a response. */
  closed: boolean
  headers: Record<string, string>
  body: string
  ms: number
}

/** No test waits longer for a response, and no response may take so long. */
const RESPONSE_WITHIN_MS = 20_000

type Options = {
  isHead?: boolean
  /** The client ends its side, at once or after this number of milliseconds. */
  ends?: boolean | number
}

/** Sends unchanged bytes over a new connection. Returns the first response. */
export async function exchange(
  url: string,
  bytes: Uint8Array,
  { isHead = false, ends = false }: Options,
): Promise<Exchanged> {
  const { hostname, port } = new URL(url)
  const started = performance.now()
  const timeout = AbortSignal.timeout(RESPONSE_WITHIN_MS)
  const socket = connect(Number(port), hostname)
  // The client fails with the same error.
  socket.on('error', () => socket.destroy())
  socket.write(bytes)
  if (ends === true) socket.end()
  const noMore = typeof ends === 'number' ? setTimeout(() => socket.end(), ends) : undefined
  // node:http parses the response. Its own request has no effect, because the bytes are already sent.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const client = request({
    method: isHead ? 'HEAD' : 'GET',
    createConnection: () => Duplex.from({ readable: socket, writable: nowhere }),
    signal: timeout,
  })
  const result = { status: 0, headers: {}, body: '', closed: false }
  try {
    const [response] = (await once(client.end(), 'response')) as [IncomingMessage]
    result.status = response.statusCode ?? 0
    result.headers = response.headers
    if (!isEventStream(response)) for await (const chunk of response.setEncoding('utf8')) result.body += chunk
  } catch {
    // The received part of the response counts.
    result.closed = !timeout.aborted
  } finally {
    clearTimeout(noMore)
    client.destroy()
    socket.destroy()
  }
  return { ...result, ms: performance.now() - started }
}

/** An event stream has no end to wait for. */
const isEventStream = ({ headers }: IncomingMessage) =>
  headers['content-type']?.startsWith('text/event-stream')
