import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * The events of each request, in a file that all replicas share. A repeated event has a number: `orders before ack … #2`. The number
 * counts the events of all replicas, because RabbitMQ gives two equal commands of one order to different ones.
 */

/** Appends an event and returns its name with its number. */
export function appendEvent(directory: string, requestId: string, name: string): string {
  const earlier = readEvents(directory, requestId).filter((event) => event.replace(/ #\d+$/, '') === name)
  const event = earlier.length === 0 ? name : `${name} #${earlier.length + 1}`
  appendFileSync(fileOf(directory, requestId), `${event}\n`)
  return event
}

/** Returns the events of a request so far, in the order of their writing. */
export function readEvents(directory: string, requestId: string): string[] {
  const file = fileOf(directory, requestId)
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}

const fileOf = (directory: string, requestId: string): string => join(directory, `events-${requestId}`)
