/**
 * Writes the .env of docker-compose.production.yml: asks for the domain and the payment processor, and creates the secrets.
 * `npm run setup`, or without Node: docker compose -f docker-compose.production.yml run --rm setup
 */
import { existsSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface, type Interface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { readEnvFile, withVariables, writePrivateFile } from './env-file.ts'
import { addedValues, answerFaults, isPublicName, QUESTIONS, type Question } from './installation.ts'

const HELP = `Writes .env for docker-compose.production.yml, with secrets of its own. Asks for what is missing.

Options:
  --domain NAME        domain of the platform, which leads to this machine
  --email ADDRESS      your address, for messages about the certificate
  --tls acme|internal  certificate of a public authority, or of an authority of this machine
  --processor NAME     stripe, or none for cash only
  --from FILE          further variables, in the format of .env: STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET,
                       EXTERNAL_POSTGRES_URL, CA_FILE, ACME_DIRECTORY, GEOCODER_URL, ALERT_EMAIL_TO, …
  --folder FOLDER      folder of .env; default: this one
  --force              replace an existing .env, which is kept under another name
  --help

An existing .env stays: only missing variables are added, for example after an upgrade.
A secret is never an option, because all users of the machine can read options.
`

const FLAGS = { domain: 'DOMAIN', email: 'TLS_EMAIL', tls: 'TLS', processor: 'PROCESSOR' } as const
type Answers = Record<string, string | undefined>

/** A reason not to write, for the operator. */
class SetupRefused extends Error {}

async function main(): Promise<void> {
  const options = readOptions()
  if (options.help) return void process.stdout.write(HELP)
  const file = join(options.folder, '.env')
  const existing = options.force ? null : readEnvFile(file)
  const values: Answers = { ...given(options), ...existing?.values }
  await complete(values)
  const { added, operatorKey } = addedValues(values)
  const missing = without(existing?.values ?? {}, { ...values, ...added })
  if (Object.keys(missing).length === 0) return console.log(`${file} is complete; nothing was changed.`)
  // The key first: without the file, the hash in .env would be of no use.
  if (operatorKey !== null) writeOperatorKey(join(options.folder, 'operator.key'), operatorKey, options.force)
  if (options.force) keepOld(file)
  writePrivateFile(file, withVariables(existing?.text ?? '', missing))
  if (existing) console.log(`Added to ${file}: ${Object.keys(missing).join(', ')}`)
  else console.log(nextSteps(file, values))
}

async function complete(values: Answers): Promise<void> {
  await ask(values)
  const faults = answerFaults(values)
  if (faults.length > 0) throw new SetupRefused(faults.join('\n'))
}

function keepOld(file: string): void {
  if (existsSync(file)) renameSync(file, `${file}.before-${Date.now()}`)
}

/** The variables of `all` that `known` does not have. */
const without = (known: Answers, all: Answers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(all).filter(
      (one): one is [string, string] => one[1] !== undefined && known[one[0]] === undefined,
    ),
  )

function writeOperatorKey(file: string, key: string, force: boolean): void {
  if (existsSync(file) && !force)
    throw new SetupRefused(`${file} exists, but .env has no OPERATOR_KEY_HASH. Move the file away.`)
  writePrivateFile(file, `${key}\n`)
}

function readOptions() {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    options: {
      domain: text,
      email: text,
      tls: text,
      processor: text,
      from: text,
      folder: { ...text, default: process.cwd() },
      force: flag,
      help: flag,
    },
  })
  return values
}

/** The variables of the options. */
function given(options: ReturnType<typeof readOptions>): Answers {
  const from = options.from === undefined ? undefined : readEnvFile(resolve(options.folder, options.from))
  if (from === null) throw new SetupRefused(`${options.from} does not exist in ${options.folder}.`)
  const flags = Object.entries(FLAGS).flatMap(([flag, name]) => {
    const value = options[flag as keyof typeof FLAGS]
    return value === undefined ? [] : [[name, value.trim()] as const]
  })
  return { ...from?.values, ...Object.fromEntries(flags) }
}

/**
 * Asks for the missing answers and adds them. Without a terminal it adds only defaults, and the faults list the missing variables.
 */
async function ask(values: Answers): Promise<void> {
  const terminal = process.stdin.isTTY
    ? createInterface({ input: process.stdin, output: process.stderr })
    : null
  try {
    for (const question of QUESTIONS) {
      if (values[question.name] || !question.applies(values)) continue
      const fallback = defaultOf(question.name, values)
      const answer = terminal ? await askUntilValid(terminal, question, { values, fallback }) : fallback
      if (answer !== '') values[question.name] = answer
    }
  } finally {
    terminal?.close()
  }
}

async function askUntilValid(
  terminal: Interface,
  { name, text, fault }: Question,
  { values, fallback }: { values: Answers; fallback: string },
): Promise<string> {
  // The question about the certificate follows, so a private name is no fault yet.
  const context = name === 'DOMAIN' ? { TLS: 'internal' } : values
  for (;;) {
    const typed = await terminal.question(`${text}${fallback && ` [${fallback}]`}: `).catch(() => {
      // Ctrl+C or Ctrl+D.
      throw new SetupRefused('\nNothing was written.')
    })
    const answer = typed.trim() || fallback
    const wrong = answer === '' ? 'An answer is necessary.' : fault(answer, context)
    if (wrong === null) return answer
    console.error(wrong)
  }
}

function defaultOf(name: string, { DOMAIN, ACME_DIRECTORY }: Answers): string {
  if (name !== 'TLS' || !DOMAIN) return ''
  return isPublicName(DOMAIN) || ACME_DIRECTORY ? 'acme' : 'internal'
}

function nextSteps(file: string, { TLS, DOMAIN }: Answers): string {
  const authority =
    TLS === 'internal'
      ? `
Browsers accept the certificate when its authority is installed on each device:
  docker compose cp caddy:/data/caddy/pki/authorities/local/root.crt platter-ca.crt
`
      : ''
  return `Written: ${file} and operator.key, the first operator access key.
Keep copies of both outside of this machine: without .env, no backup can be read and no password is valid.

Start, and wait until everything is ready:
  docker compose up -d --build --wait
${authority}
The first restaurant, with a link to the console, and the first client application:
  docker compose run --rm platter restaurants import my-restaurant.json
  docker compose run --rm platter keys issue --restaurant API-KEY      # for https://${DOMAIN}/console/
  docker compose run --rm platter applications create "My application"
  docker compose run --rm platter keys issue --application ID
  docker compose run --rm platter doctor

docs/deployment.md, "Production on one machine", explains each step.`
}

try {
  await main()
} catch (error) {
  const isUsage = error instanceof SetupRefused || (error instanceof TypeError && 'code' in error)
  if (!isUsage) throw error
  console.error(error.message)
  process.exitCode = 2
}
