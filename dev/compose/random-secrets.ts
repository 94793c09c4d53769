import { randomBytes } from 'node:crypto'

/** Returns a new password. Letters and digits only, because passwords become parts of URLs. */
export const newPassword = (): string => randomBytes(24).toString('hex')

/** Returns a new key of 32 bytes. */
export const newSecret = (): string => randomBytes(32).toString('hex')
