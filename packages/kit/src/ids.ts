import { randomBytes, randomUUID } from 'node:crypto'

/** A new apiKey: 48 hexadecimal characters, 192 random bits (interface.md, "Rules for every endpoint"). */
export const newApiKey = (): string => randomBytes(24).toString('hex')

export const newRequestId = (): string => randomUUID()
