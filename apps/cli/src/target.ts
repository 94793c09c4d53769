import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { EXIT, Failure } from '#/exit.ts'
import { readText } from '#/read-text.ts'

/** The platform and the operator's access key. */
export type Target = { url: string; key: string }

export type TargetOptions = { url?: string | undefined; keyFile?: string | undefined }

/** The folder of the files that `npm start` writes. */
export const RUN = join(import.meta.dirname, '../../../.run')
const STACK = join(RUN, 'stack.json')
const Stack = z.object({
  gateway: z.url(),
  operatorKey: z.string(),
  urls: z.object({ postgres: z.string() }),
})

/**
 * Returns --url and --key-file, else PLATTER_URL and PLATTER_OPERATOR_KEY (or PLATTER_OPERATOR_KEY_FILE), else the platform of `npm
 * start` on this machine. A key is never an argument, because all users of the machine can read arguments. The development key is
 * used only for that platform.
 */
export function findTarget({ url, keyFile }: TargetOptions, environment = process.env): Target {
  const text = url ?? environment['PLATTER_URL']
  const given = text === undefined ? undefined : checkedUrl(text)
  const key = findKey(keyFile ?? environment['PLATTER_OPERATOR_KEY_FILE'], environment)
  if (given !== undefined && key !== undefined) return { url: given, key }
  const stack = readStack()
  if (given !== undefined && given !== stack?.gateway)
    throw new Failure(
      EXIT.usage,
      `The operator key for ${given} is missing: use --key-file or PLATTER_OPERATOR_KEY.`,
    )
  if (!stack)
    throw new Failure(
      EXIT.usage,
      'No platform runs here (npm start). For another platform use --url and --key-file, or PLATTER_URL and PLATTER_OPERATOR_KEY.',
    )
  return { url: stack.gateway, key: key ?? stack.operatorKey }
}

function findKey(file: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  const text = file === undefined ? environment['PLATTER_OPERATOR_KEY'] : readText(file, 'The key file')
  const key = text?.trim()
  if (key === '')
    throw new Failure(EXIT.usage, `${file === undefined ? 'PLATTER_OPERATOR_KEY' : 'The key file'} is empty.`)
  // The error of fetch would contain the key, and so would a log.
  if (key !== undefined && !/^[!-~]+$/.test(key))
    throw new Failure(EXIT.usage, 'The operator key must be one word of ASCII characters.')
  return key
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Failure(EXIT.usage, `${text} is not an address like https://platter.example.org.`)
  return text.replace(/\/+$/, '')
}

/** Returns the platform of `npm start`; null if none has been started. */
export function readStack(): z.output<typeof Stack> | null {
  try {
    return Stack.parse(JSON.parse(readFileSync(STACK, 'utf8')))
  } catch {
    // The file is missing or incomplete.
    return null
  }
}
