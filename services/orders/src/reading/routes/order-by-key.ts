import { SendOrder, type OrderByKey } from '@platter/contracts'
import { Problem, parseIdempotencyKey, Rendered, type Handler, type InternalSecrets } from '@platter/kit'
import { orderRecord } from '#/domain/order.ts'
import * as idempotencyKeys from '#/store/idempotency-keys.ts'
import type { Db, Own } from '#/store/tables.ts'
import { findToShow } from '#/reading/visibility.ts'

type Needs = { db: Db; own: Own; secrets: InternalSecrets }

/**
 * For a client that lost the answer to its send-order (docs/interface.md, "Idempotency keys"). Keys are looked for
 * under the access key that they were sent with. An order that a client saw is shown as it stands, also one that failed.
 */
export const orderByKey =
  ({ db, own, secrets }: Needs): Handler<typeof OrderByKey> =>
  async ({ params, principal: { applicationId, accessKeyId } }) => {
    const scope = {
      accessKeyId,
      path: SendOrder.path,
      key: parseIdempotencyKey(params.idempotencyKey, secrets),
    }
    const rows = own({ applicationId })
    const used = await idempotencyKeys.find(rows, scope)
    const order = used && (await findToShow(db, rows, used.orderApiKey))
    if (order) return orderRecord(order)
    if (used?.status && used.status !== 200 && used.body !== null) return new Rendered(used.body, used.status)
    throw new Problem('order-not-found', 'There is no order with this Idempotency-Key.')
  }
