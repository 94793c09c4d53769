import type { LookupAddress } from 'node:dns'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectingBy, LOOKUPS_AT_ONCE, sharedLookup } from '#/http/shared-lookup.ts'

const ADDRESS = { address: '192.0.2.7', family: 4 }

/** A resolver without a response, until a lookup is ended by its name. */
function silentResolver() {
  const running: { name: string; end: (error: Error | null, list: LookupAddress[]) => void }[] = []
  const resolve = ((name: string, _options: object, end: (typeof running)[number]['end']) => {
    running.push({ name, end })
  }) as unknown as Parameters<typeof sharedLookup>[0]
  return { running, addressesOf: sharedLookup(resolve) }
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `kitchen-${at}.example`)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('connections to a host name share its running lookup, and a later connection resolves the name again', async () => {
  const { running, addressesOf } = silentResolver()
  const first = Promise.all(Array.from({ length: 1_000 }, () => addressesOf('kitchen.example')))
  await vi.advanceTimersByTimeAsync(0)
  expect(running).toHaveLength(1)
  running[0]?.end(null, [ADDRESS])
  expect(new Set((await first).flat())).toEqual(new Set([ADDRESS]))
  void addressesOf('kitchen.example')
  await vi.advanceTimersByTimeAsync(0)
  expect(running).toHaveLength(2)
})

test('a lookup above the limit waits until another one has ended', async () => {
  const { running, addressesOf } = silentResolver()
  const lookups = names(LOOKUPS_AT_ONCE + 1).map(addressesOf)
  await vi.advanceTimersByTimeAsync(0)
  expect(running).toHaveLength(LOOKUPS_AT_ONCE)
  running[1]?.end(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), [])
  await expect(lookups[1]).rejects.toThrow('none')
  await vi.advanceTimersByTimeAsync(0)
  expect(running.map(({ name }) => name)).toEqual(names(LOOKUPS_AT_ONCE + 1))
})

test('a lookup that cannot start within 3 s fails, as if its name server did not respond', async () => {
  const { running, addressesOf } = silentResolver()
  const last = names(LOOKUPS_AT_ONCE + 1)
    .map(addressesOf)
    .at(-1)
  await Promise.all([
    expect(last).rejects.toMatchObject({ code: 'EAI_AGAIN' }),
    vi.advanceTimersByTimeAsync(3_000),
  ])
  expect(running).toHaveLength(LOOKUPS_AT_ONCE)
})

test.each([
  [true, [null, [ADDRESS, ADDRESS]]],
  [false, [null, ADDRESS.address, 4]],
])(
  'a connection that requests all addresses (%s) receives them in the form of dns.lookup',
  async (all, given) => {
    const callback = vi.fn<() => void>()
    connectingBy(() => Promise.resolve([ADDRESS, ADDRESS]))('kitchen.example', { all }, callback)
    await vi.advanceTimersByTimeAsync(0)
    expect(callback.mock.calls).toEqual([given])
  },
)
