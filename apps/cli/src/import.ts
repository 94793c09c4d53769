import { PutMenu, PutRestaurant, PutRestaurantLink, type Operation } from '@platter/contracts'
import { Rejected, type Api } from '#/api.ts'
import type { Bundle, FileFault, Part } from '#/restaurant-files.ts'

/** The result for one file. */
export type Imported = { file: string; apiKey: string; parts: Part[]; faults: FileFault[] }

const OPERATIONS = { restaurant: PutRestaurant, menu: PutMenu, link: PutRestaurantLink } as const
/** Menu and link refer to the restaurant, so the restaurant comes first. */
const PARTS = ['restaurant', 'menu', 'link'] as const

/** `importedKeys`: the apiKeys of all restaurants in the files. */
type Options = { validateOnly: boolean; importedKeys: ReadonlySet<string> }

/**
 * Validates all parts of a file. Without a fault it then stores them, so that a faulty file changes nothing. Throws if the file is not
 * the cause.
 */
export async function importBundle(api: Api, bundle: Bundle, options: Options): Promise<Imported> {
  const faults: FileFault[] = []
  const parts = PARTS.filter((part) => bundle[part] !== undefined)
  for (const part of parts) faults.push(...(await put(api, bundle, { ...options, part, validateOnly: true })))
  if (!options.validateOnly)
    for (const part of parts)
      if (faults.length === 0) faults.push(...(await put(api, bundle, { ...options, part })))
  return { file: bundle.file, apiKey: bundle.apiKey, parts, faults }
}

async function put(
  api: Api,
  bundle: Bundle,
  { part, validateOnly, importedKeys }: Options & { part: Part },
): Promise<FileFault[]> {
  const { file, apiKey } = bundle
  try {
    const query: Record<string, boolean> = validateOnly ? { 'validate-only': true } : {}
    const operation: Operation = OPERATIONS[part]
    await api.call(operation, { params: { apiKey }, query, body: bundle[part] })
    return []
  } catch (error) {
    if (!(error instanceof Rejected) || !isOfFile(error.problem.status)) throw error
    const { code, errors, details } = error.problem
    const isMissing = code === 'restaurant-not-found'
    // This file or another one contains the restaurant, which a validation does not create. `errors` has the faults of its menu.
    const isNew = isMissing && validateOnly && importedKeys.has(apiKey)
    const start = bundle.at[part] ?? ''
    const faults = isNew || (!isMissing && errors.length > 0) ? errors : [{ pointer: '', detail: details }]
    // A pointer outside of the body has no slash: `path/apiKey`.
    const inFile = (pointer: string) => (/^(\/|$)/.test(pointer) ? `${start}${pointer}` : pointer)
    return faults.map(({ pointer, detail }) => ({ file, pointer: inFile(pointer), detail }))
  }
}

/** Returns whether the body caused the problem, not the access key, a limit or an outage. */
const isOfFile = (status: number): boolean => [400, 404, 409, 413, 422].includes(status)
