import { SendOrder, type OrderByKey } from '@platter/contracts'
import { Problem, readKey, Rendered, type Handler, type InternalSecrets } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import * as idempotencyKeys from '#/store/idempotency-keys.ts'
import * as orders from '#/store/orders.ts'
import type { Own } from '#/store/tables.ts'

/**
 * For a client that lost the answer to its send-order (interface.md, "Idempotency-Key"). Keys are looked for
 * under the access key that they were sent with.
 */
export const orderByKey =
  (own: Own, secrets: InternalSecrets): Handler<typeof OrderByKey> =>
  async ({ params, principal: { applicationId, accessKeyId } }) => {
    const scope = { accessKeyId, path: SendOrder.path, key: readKey(params.idempotencyKey, secrets) }
    const rows = own({ applicationId })
    const used = await idempotencyKeys.find(rows, scope)
    if (used?.status && used.status !== 200 && used.body !== null) return new Rendered(used.body, used.status)
    const order = used && (await orders.find(rows, used.orderApiKey))
    if (!order) throw new Problem('order-not-found', 'There is no order with this Idempotency-Key.')
    return orderRecord(order)
  }
