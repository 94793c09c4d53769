import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * The events of each request, in a file that all replicas share. A repeated event has a number: `orders before ack … #2`. The number
 * counts the events of all replicas, because RabbitMQ gives two equal commands of one order to different ones.
 */

/** Appends an event and returns its name with its number. */
export function appendEvent(directory: string, requestId: string, name: string): string {
  appendFileSync(fileOf(directory, requestId), `${name}\n`)
  const same = linesOf(directory, requestId).filter((line) => line === name)
  return withNumber(name, same.length)
}

/** Returns the events of a request so far, in the order of their writing. */
export function readEvents(directory: string, requestId: string): string[] {
  const counts = new Map<string, number>()
  return linesOf(directory, requestId).map((name) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return withNumber(name, count)
  })
}

const withNumber = (name: string, count: number): string => (count === 1 ? name : `${name} #${count}`)
const fileOf = (directory: string, requestId: string): string => join(directory, `events-${requestId}`)

function linesOf(directory: string, requestId: string): string[] {
  const file = fileOf(directory, requestId)
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []
}
