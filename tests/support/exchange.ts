import { connect, type Socket } from 'node:net'

export type Exchanged = {
  /** 0 means that no response arrived. */
  status: number
  /** The server closed the connection. */
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
  /** The client closes the connection when this signal is aborted. */
  signal?: AbortSignal | undefined
}

/** Sends unchanged bytes over a new connection. Returns the first response. */
export function exchange(
  url: string,
  bytes: Uint8Array,
  { isHead = false, ends = false, signal }: Options = {},
): Promise<Exchanged> {
  const { hostname, port } = new URL(url)
  const started = performance.now()
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), hostname)
    let received = Buffer.alloc(0)
    let closed = false
    const finish = (over: boolean) => {
      const response = read(received, isHead, over)
      if (!response && !over) return
      clearTimeout(timer)
      clearTimeout(noMore)
      socket.destroy()
      const ms = performance.now() - started
      resolve({ ...(response ?? { status: 0, headers: {}, body: '' }), closed, ms })
    }
    const noMore = typeof ends === 'number' ? setTimeout(() => socket.end(), ends) : undefined
    const timer = setTimeout(() => finish(true), RESPONSE_WITHIN_MS)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      finish(false)
    })
    // If the received bytes are a response, it counts.
    const endConnection = () => {
      closed = true
      finish(true)
    }
    socket.on('error', endConnection)
    socket.on('close', endConnection)
    signal?.addEventListener('abort', endConnection)
    socket.write(bytes)
    if (ends === true) socket.end()
  })
}

/** Parses the received bytes as a response. Returns null while it is incomplete. */
function read(received: Buffer, isHead: boolean, over: boolean): Omit<Exchanged, 'ms' | 'closed'> | null {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(first.split(' ')[1])
  const rest = received.subarray(end + 4)
  if (status < 200) return read(rest, isHead, over)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const body = bodyOf(rest, headers, isHead || status === 204 || status === 304)
  if (body === null) return over ? { status, headers, body: rest.toString() } : null
  return { status, headers, body }
}

function bodyOf(rest: Buffer, headers: Record<string, string>, hasNone: boolean): string | null {
  // An event stream has no end to wait for.
  if (hasNone || headers['content-type']?.startsWith('text/event-stream')) return ''
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (!Number.isNaN(length)) return rest.length >= length ? rest.subarray(0, length).toString() : null
  if (headers['transfer-encoding'] === 'chunked') return chunks(rest)
  return null
}

function chunks(rest: Buffer): string | null {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const line = rest.indexOf('\r\n', at)
    if (line < 0) return null
    const size = Number.parseInt(rest.subarray(at, line).toString(), 16)
    if (Number.isNaN(size)) throw new Error(`no chunk: ${rest.subarray(at, at + 100).toString('latin1')}`)
    if (size === 0) return Buffer.concat(parts).toString()
    if (rest.length < line + 2 + size + 2) return null
    parts.push(rest.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
