import { SendOrder, type OrderByKey } from '@platter/contracts'
import { Problem, parseIdempotencyKey, Rendered, type Handler, type InternalSecrets } from '@platter/kit'
import { clientRecord } from '#/domain/order.ts'
import type { Stores, TenantStores } from '#/store/stores.ts'
import { findAndMark } from '#/reading/visibility.ts'

type Deps = Pick<Stores, 'orders'> & { tenantStores: TenantStores; secrets: InternalSecrets }

/**
 * For a client that lost the response to send-order (docs/interface.md, "Idempotency keys"). A key is found under the access key
 * that sent it.
 */
export const orderByKey =
  ({ orders, tenantStores, secrets }: Deps): Handler<typeof OrderByKey> =>
  async ({ params, principal: { applicationId, accessKeyId } }) => {
    const scope = {
      accessKeyId,
      path: SendOrder.path,
      key: parseIdempotencyKey(params.idempotencyKey, secrets),
    }
    const stores = tenantStores({ applicationId })
    const used = await stores.idempotencyKeys.find(scope)
    const order = used && (await findAndMark(orders, stores.orders, used.orderApiKey))
    if (order) return clientRecord(order)
    if (used?.status && used.status !== 200 && used.body !== null) return new Rendered(used.body, used.status)
    throw new Problem('order-not-found', 'There is no order with this Idempotency-Key.')
  }
