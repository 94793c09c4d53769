export * from '../../../services/accounts/src/store/addresses.ts'
import type * as real from '../../../services/accounts/src/store/addresses.ts'

export const saveAddress: typeof real.saveAddress = () => {
  throw new Error('no order of the simulation has a new address')
}
