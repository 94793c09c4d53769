import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { behaviours, simulatorLink } from '../simulators/src/link.ts'

const FOLDER = new URL('restaurants/', import.meta.url)

/** The content of a file. Only the fields that the seed uses are checked here; the gateway validates the others. */
const Content = z
  .object({
    restaurant: z.looseObject({ apiKey: z.string().min(1), name: z.string().min(1) }),
    menu: z.array(z.unknown()),
    link: z.looseObject({ kind: z.string().min(1) }).optional(),
    simulator: z
      .object({ behaviour: z.enum(behaviours), reports: z.enum(['detailed', 'coarse']).optional() })
      .optional(),
  })
  .refine(({ link, simulator }) => link ?? simulator, 'needs a simulator or a link')

/** A file of restaurants/. */
export type SeedFile = Pick<z.infer<typeof Content>, 'restaurant' | 'menu'> & {
  /** Relative to the root of the repository, for error messages. */
  path: string
  /** For example "simulator:accepts", "webhook", "console". */
  linkName: string
  /** The body of put-restaurant-link. */
  link: object
}

/**
 * Returns all files by name, and the fingerprint of all of them. A `simulator` instead of a `link` becomes the webhook of its
 * behaviour at `simulators`, a base URL.
 */
export function readSeedFiles(simulators: string): { files: SeedFile[]; fingerprint: string } {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
  const hash = createHash('sha256').update(`${simulators}\0`)
  const files = names.toSorted().map((name) => {
    const content = readFileSync(new URL(name, FOLDER), 'utf8')
    hash.update(`${name}\0${content}\0`)
    return parse(`dev/seed/restaurants/${name}`, content, simulators)
  })
  return { files, fingerprint: hash.digest('hex') }
}

function parse(path: string, content: string, simulators: string): SeedFile {
  try {
    const { restaurant, menu, link, simulator } = Content.parse(JSON.parse(content))
    if (simulator === undefined)
      return { path, restaurant, menu, link: link ?? {}, linkName: link?.kind ?? '' }
    const { behaviour, reports } = simulator
    const simulated = simulatorLink(simulators, behaviour, reports)
    return { path, restaurant, menu, link: simulated, linkName: `simulator:${behaviour}` }
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error)
    throw new Error(`${path}: ${reason}`, { cause: error })
  }
}
