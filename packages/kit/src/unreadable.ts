import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ANSWER_HEADERS } from './answer-headers.ts'
import type { App } from './http.ts'
import { newRequestId } from './ids.ts'
import { Problem, PROBLEM_TYPE, problemDocument } from './problem.ts'

/** Node has answers of its own to these, with no document, or none at all. */
export function answerWhatNodeWouldNot({ server }: App): void {
  // RFC 9110, 10.1.1: an expectation that nobody knows may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) =>
    endWith(new Problem('no-such-endpoint', 'There is no such endpoint.'), socket),
  )
}

/** For requests that Node cannot read, or that do not come in whole. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET') return
  const detail =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? 'The request did not come in whole in time.'
      : 'The request line or a header field cannot be read, or is too long.'
  endWith(new Problem('invalid-field', detail), socket)
}

/** For what has neither request nor reply: the problem goes straight to the connection, which ends. */
function endWith(problem: Problem, socket: Duplex): void {
  if (!socket.writable) return
  const requestId = newRequestId()
  const body = JSON.stringify(problemDocument(problem, requestId, '/'))
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    ...Object.entries(ANSWER_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
