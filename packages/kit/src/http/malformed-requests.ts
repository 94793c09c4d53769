import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { App } from '#/http/app.ts'
import { Problem, problemResponse } from '#/http/problem.ts'
import { newRequestId } from '#/lifecycle/ids.ts'

// Not imported, as in server.ts.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/**
 * The time in which a client may send the rest of its request, in milliseconds. A connection that is closed before its input is read
 * is reset, and the client may lose the response (RFC 9112, 9.6).
 */
const LINGER_MS = 2_000

/** Handles `Expect` and CONNECT. By default, Node responds without a problem document or closes the connection. */
export function handleNodeSpecialCases({ server }: App): void {
  // RFC 9110, 10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) => endWith(new Problem('no-such-endpoint'), socket))
}

const NOT_ENCODED =
  'The path or the query has a character that must be percent-encoded, such as a space or an accent.'

/** The details for the error codes of Node's parser. After a space in the URL, it expects the version of HTTP. */
const DETAILS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive completely in time.',
  HPE_HEADER_OVERFLOW:
    'The request line and the header fields are too long: together they have at most 16 KiB.',
  HPE_INVALID_URL: NOT_ENCODED,
  HPE_INVALID_CONSTANT: NOT_ENCODED,
}

/** Rejects a request that Node cannot parse, or that does not arrive completely. */
export function rejectMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') return
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  // A client that has sent nothing receives no response. It could mistake it for the response to a request that it has just sent.
  if (isLate && socket.bytesRead === 0) return void socket.destroy()
  const detail = DETAILS[error.code ?? ''] ?? 'The request line or a header field cannot be read.'
  endWith(new Problem('invalid-field', detail), socket)
}

/** Writes the problem to the connection, discards its further input and closes it. Fastify has created no request and no reply. */
function endWith(problem: Problem, socket: Duplex): void {
  if (!socket.writable) return
  const { headers, body } = problemResponse(problem, newRequestId(), '/')
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`).resume()
  // The client has reset the connection. Without a listener, this event would end the process.
  socket.on('error', () => socket.destroy())
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
