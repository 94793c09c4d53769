export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
