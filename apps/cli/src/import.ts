import { PutMenu, PutRestaurant, PutRestaurantLink, RestaurantLink, type Operation } from '@platter/contracts'
import { Refused, type Api } from '#/api.ts'
import type { Bundle, FileFault, Part } from '#/restaurant-files.ts'

/** What became of a file. */
export type Imported = { file: string; apiKey: string; parts: Part[]; faults: FileFault[] }

const OPERATIONS = { restaurant: PutRestaurant, menu: PutMenu, link: PutRestaurantLink } as const
/** Menu and link refer to the restaurant, so they come after it. */
const PARTS = ['restaurant', 'menu', 'link'] as const

/** `coming`: the apiKeys of the restaurants that the files bring. */
type Options = { validateOnly: boolean; coming: ReadonlySet<string> }

/**
 * Puts what a file brings, and finds everything that is wrong with it: when one part is refused the others are only
 * checked. Throws what is no fault of the file.
 */
export async function importBundle(api: Api, bundle: Bundle, options: Options): Promise<Imported> {
  const faults: FileFault[] = []
  const parts = PARTS.filter((part) => bundle[part] !== undefined)
  for (const part of parts) {
    const validateOnly = options.validateOnly || faults.length > 0
    faults.push(...(await put(api, bundle, { ...options, part, validateOnly })))
  }
  return { file: bundle.file, apiKey: bundle.apiKey, parts, faults }
}

async function put(
  api: Api,
  bundle: Bundle,
  { part, validateOnly, coming }: Options & { part: Part },
): Promise<FileFault[]> {
  const { file, apiKey } = bundle
  // A link has no more checks than its schema, which is here as well.
  if (part === 'link' && validateOnly) return faultsOfLink(bundle)
  try {
    const query: Record<string, boolean> = validateOnly ? { 'validate-only': true } : {}
    const operation: Operation = OPERATIONS[part]
    await api.call(operation, { params: { apiKey }, query, body: bundle[part] })
    return []
  } catch (error) {
    if (!(error instanceof Refused) || !isOfFile(error.problem.status)) throw error
    const { code, errors, details } = error.problem
    // One of the files would have made it.
    if (code === 'restaurant-not-found' && validateOnly && coming.has(apiKey)) return []
    const start = bundle.at[part] ?? ''
    const faults = errors.length === 0 ? [{ pointer: '', detail: details }] : errors
    return faults.map(({ pointer, detail }) => ({ file, pointer: `${start}${pointer}`, detail }))
  }
}

/** Whether a refusal speaks of what was sent, and not of who sends it, how often, or when. */
const isOfFile = (status: number): boolean => [400, 404, 409, 413, 422].includes(status)

function faultsOfLink({ file, link, at }: Bundle): FileFault[] {
  const parsed = RestaurantLink.safeParse(link)
  return (parsed.error?.issues ?? []).map(({ path, message }) => ({
    file,
    pointer: [at.link ?? '', ...path.map(String)].join('/'),
    detail: `${path.map(String).join('.')} ${message}.`,
  }))
}
