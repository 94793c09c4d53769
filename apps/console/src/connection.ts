import { signal } from '@preact/signals'

/** The connection of the event stream. `since` is in milliseconds. */
export type ConnectionState =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'offline'; since: number }

export const connection = signal<ConnectionState>({ state: 'connecting' })

export const isOffline = (): boolean => connection.value.state === 'offline'
