import { signal } from '@preact/signals'

/** The state of the event stream's connection. `since` is in milliseconds. */
export type ConnectionState =
  | { state: 'connecting' }
  | { state: 'live' }
  | { state: 'offline'; since: number }

export const connection = signal<ConnectionState>({ state: 'connecting' })

export const isOffline = (): boolean => connection.value.state === 'offline'
