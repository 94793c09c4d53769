import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { App } from '#/http/app.ts'
import { Problem, problemResponse } from '#/http/problem.ts'
import { newRequestId } from '#/lifecycle/ids.ts'

/** Node responds to these two kinds of requests itself, without a problem document, or closes the connection without a response. */
export function handleNodeSpecialCases({ server }: App): void {
  // RFC 9110, 10.1.1: an unknown expectation may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) =>
    endWith(new Problem('no-such-endpoint', 'There is no such endpoint.'), socket),
  )
}

/** For a request that Node cannot parse, or that does not arrive completely. */
export function rejectMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') return
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  // A client that has sent nothing gets no response: it could take it for the response to a valid request that is on its way.
  if (isLate && socket.bytesRead === 0) return void socket.destroy()
  const detail = isLate
    ? 'The request did not arrive completely in time.'
    : 'The request line or a header field cannot be read, or is too long.'
  endWith(new Problem('invalid-field', detail), socket)
}

/** Without a request and a reply of Fastify: writes the problem to the connection, which ends. */
function endWith(problem: Problem, socket: Duplex): void {
  if (!socket.writable) return
  const { headers, body } = problemResponse(problem, newRequestId(), '/')
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
