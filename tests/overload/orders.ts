import { withClient } from '../../dev/servers/database.ts'
import type { Stack } from '../../dev/stack.ts'
import { AURORA, cardOf, plainItem } from '../chaos/clients.ts'

/** An application of its own with an access key. */
export async function anApplication(stack: Stack, name: string): Promise<string> {
  const ask = async <T>(path: string, body: unknown): Promise<T> => {
    const answer = await fetch(`${stack.gateway}/operatorapi/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-access-token': stack.operatorKey },
      body: JSON.stringify(body),
    })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const { id } = await ask<{ id: string }>('applications', { name })
  return (await ask<{ accessKey: string }>(`applications/${id}/access-keys`, {})).accessKey
}

/** For the orders service: an order that nobody at the console takes is cancelled after the run. */
export const NO_CANCELLATIONS = { TAKE_DEADLINE_MS: '86400000' }

/** Orders reach the restaurant by its console, as in the bench: it takes 16 webhooks at a time, which would be the limit. */
export async function useConsole(stack: Stack): Promise<void> {
  const answer = await fetch(`${stack.gateway}/operatorapi/v1/restaurants/${AURORA}/link`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-access-token': stack.operatorKey },
    body: JSON.stringify({ kind: 'console', reports: 'detailed' }),
  })
  if (answer.status !== 200) throw new Error(`link: ${answer.status} ${await answer.text()}`)
}

/** The bytes of a guest's order for pickup at a restaurant that takes it at once; by card with a new one. */
export async function orderBytes(
  stack: Stack,
  accessKey: string,
  payment: 'cash' | 'card' = 'cash',
): Promise<string> {
  const item = await plainItem(stack.file, AURORA)
  return postBytes('/publicapi/v1/send-order', accessKey, {
    restaurantApiKey: AURORA,
    items: [{ apiKey: item }, { apiKey: item }],
    method: 'pickup',
    payment,
    ...(payment === 'card' && { card: cardOf('card') }),
    recipient: { firstName: 'Maria', lastName: 'Lindqvist', phone: '608-555-0142' },
  })
}

export function postBytes(path: string, accessKey: string, value: unknown): string {
  const body = JSON.stringify(value)
  return [
    `POST ${path} HTTP/1.1`,
    'host: platter',
    `x-access-token: ${accessKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

/** Orders that are stored. */
export const ordersIn = (stack: Stack): Promise<number> =>
  withClient(stack.file.urls.postgres, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int4 as count from orders.orders',
    )
    return rows[0]?.count ?? 0
  })

export const readBytes = (path: string, accessKey: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: platter\r\nx-access-token: ${accessKey}\r\n\r\n`
