import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { App } from '#/http/app.ts'
import { newRequestId } from '#/lifecycle/ids.ts'
import { Problem, problemAnswer } from '#/http/problem.ts'

/** Node has answers of its own to these, with no document, or none at all. */
export function answerWhatNodeWouldNot({ server }: App): void {
  // RFC 9110, 10.1.1: an expectation that nobody knows may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('connect', (_request, socket) =>
    endWith(new Problem('no-such-endpoint', 'There is no such endpoint.'), socket),
  )
}

/** For requests that Node cannot read, or that do not come in whole. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') return
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  // Who has asked nothing is told nothing: it could be taken for the answer to a good request that is on its way.
  if (isLate && socket.bytesRead === 0) return void socket.destroy()
  const detail = isLate
    ? 'The request did not come in whole in time.'
    : 'The request line or a header field cannot be read, or is too long.'
  endWith(new Problem('invalid-field', detail), socket)
}

/** For what has neither request nor reply: the problem goes straight to the connection, which ends. */
function endWith(problem: Problem, socket: Duplex): void {
  if (!socket.writable) return
  const { headers, body } = problemAnswer(problem, newRequestId(), '/')
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
