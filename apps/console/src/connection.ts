import { signal } from '@preact/signals'

/** The line to the gateway. `since` is in milliseconds. */
export type Line = { state: 'connecting' } | { state: 'live' } | { state: 'offline'; since: number }

export const line = signal<Line>({ state: 'connecting' })

export const isOffline = (): boolean => line.value.state === 'offline'
