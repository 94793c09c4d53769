import { networkOf } from '@platter/kit'
import { AttemptLimit } from '@platter/kit/limits/attempt-limit'

const POLICY = { attempts: 30, seconds: 60 }

/** Limits requests with a bad access key or signature, by the client's network (a /64 for IPv6). */
export function badCredentials(credential: string) {
  const limit = new AttemptLimit(POLICY, `Too many requests with a bad ${credential} came from your address.`)
  return {
    /** Throws Problem rate-limited for an address whose network has sent too many bad credentials. */
    check: (address: string) => limit.check(networkOf(address)),
    count: (address: string) => limit.countFailed(networkOf(address)),
  }
}
