import { post, type Order } from './client.ts'

type Refused = { errors?: { pointer: string; code: string }[] }

export const validate = <T = Order>(order: unknown) => post<T>('validate-order', order)

/** Sends an order to validate-order. Returns the status, and code and pointer of each fault. */
export async function refusal(order: unknown): Promise<{ status: number; faults: string[] }> {
  const { status, body } = await validate<Refused>(order)
  return { status, faults: (body.errors ?? []).map(({ code, pointer }) => `${code} ${pointer}`) }
}

export const only = (status: number, fault: string) => ({ status, faults: [fault] })
