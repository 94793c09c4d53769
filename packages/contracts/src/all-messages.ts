import type { Command, Event, Question } from '#/message.ts'
import * as declarations from '#/messages/index.ts'

export type Message = Command | Event | Question

const isMessage = (value: object): value is Message => 'kind' in value && 'owner' in value

/** The messages of all services, sorted by name. */
export const messages: readonly Message[] = Object.values<object>(declarations)
  .filter(isMessage)
  .toSorted((one, other) => (one.name < other.name ? -1 : 1))

/** The commands of all services. Each command has a dead-letter queue. */
export const commands: readonly Command[] = messages.filter((one) => one.kind === 'command')
