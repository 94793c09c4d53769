import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ownSecretNames } from '../../dev/compose/own-secrets.ts'
import { freePort } from '../../dev/process/ports.ts'
import { until } from '../../dev/process/wait.ts'
import { findDocker } from '../../dev/servers/compose-command.ts'

/*
 * Builds and calls the images of docker-compose.yml. A copy of the repository ensures that the test neither reads nor writes an
 * .env of a developer. Separate names ensure that it replaces no image of a developer.
 */

const root = join(import.meta.dirname, '../..')
const project = `platter-test-${randomBytes(4).toString('hex')}`
/** The time of npm ci and Vite, twice, on a busy machine without a cache. */
const buildWithinMs = 600_000

const run = promisify(execFile)
let folder: string
let port: number

/** Runs a command in the copy, like a developer. Returns its output, and whether it succeeded. */
async function shell(command: string, variables: NodeJS.ProcessEnv = {}) {
  const { NODE_ENV: _, ...surroundings } = process.env
  const env = {
    ...surroundings,
    COMPOSE_PROJECT_NAME: project,
    GATEWAY_PORT: String(port),
    ...variables,
  }
  const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }
  try {
    const { stdout, stderr } = await run('sh', ['-c', command], options)
    return { succeeded: true, output: stdout + stderr }
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return { succeeded: false, output: stdout + stderr + String(error) }
  }
}

/** Runs a command, and fails the test if the command fails. */
async function succeed(command: string): Promise<string> {
  const { succeeded, output } = await shell(command)
  if (!succeeded) throw new Error(output)
  return output
}

/** Sends a request to the gateway in its container. */
const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5_000) })

const envFile = () => join(folder, '.env')
const readEnv = () =>
  Object.fromEntries(
    readFileSync(envFile(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  )

/** Returns the commands of README.md that create an .env. */
function commandsForSecrets(): string {
  const blocks = readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm)
  const found = [...blocks].map(([, block = '']) => block).filter((block) => block.includes('secrets.ts'))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

/** Returns the reason why this machine cannot build images, or null. */
async function findObstacle(): Promise<string | null> {
  try {
    const { compose } = await findDocker()
    if (compose.length !== 2) return 'docker compose is not installed'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  const [, base = ''] = /^ARG NODE=(\S+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
  try {
    await run('sh', ['-c', 'docker image inspect "$0" || docker pull "$0"', base])
    return null
  } catch {
    return `the image ${base} is neither local nor in its registry`
  }
}

const missing = await findObstacle()

describe.skipIf(missing !== null)(
  `images of docker-compose.yml${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'platter-images-'))
      // A clone has this mode: the user of the job secrets may enter the folder.
      chmodSync(folder, 0o755)
      port = await freePort()
      const excluded = new Set(['node_modules', '.git', '.run', '.env', '.turbo', 'dist'])
      cpSync(root, folder, {
        recursive: true,
        filter: (path) => relative(root, path) === '' || !excluded.has(basename(path)),
      })
      const file = join(folder, 'docker-compose.yml')
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('image: platter/', `image: ${project}/`))
      await succeed('docker compose build gateway')
    }, buildWithinMs)

    beforeEach(() => rmSync(envFile(), { force: true }))

    afterAll(async () => {
      await shell('docker compose down --volumes --timeout 5')
      await shell(`docker image rm ${project}/gateway ${project}/jobs`)
      rmSync(folder, { recursive: true, force: true })
    }, 120_000)

    test(
      'the commands of README.md create an .env with every secret, and never replace an existing one',
      async () => {
        await succeed(commandsForSecrets())
        const created = readFileSync(envFile(), 'utf8')
        expect(Object.keys(readEnv())).toEqual(expect.arrayContaining(['NODE_ENV', ...ownSecretNames]))
        expect(created).toMatch(/^(\w+=\w+\n)+$/)
        expect(statSync(envFile()).mode & 0o777).toBe(0o600)
        const again = await shell(commandsForSecrets())
        expect(again).toMatchObject({
          succeeded: false,
          output: expect.stringContaining('already') as string,
        })
        expect(readFileSync(envFile(), 'utf8')).toBe(created)
      },
      buildWithinMs,
    )

    test('the commands of README.md leave no .env behind without a Docker engine', async () => {
      const { succeeded } = await shell(commandsForSecrets(), {
        DOCKER_HOST: 'unix:///nonexistent/docker.sock',
      })
      expect({ succeeded, left: existsSync(envFile()) }).toEqual({ succeeded: false, left: false })
    })

    test.each([
      ['empty', '', '.env is empty: create it again'],
      [
        'incomplete',
        'NODE_ENV=production\nINTERNAL_SECRET=5f0c7d2b91ae4863d0f2c5b7a9e81346\n',
        'it lacks PASSWORD_PEPPER, ',
      ],
    ])(
      'docker compose up starts no container with an %s .env, and the job secrets logs the reason',
      async (_, text, sentence) => {
        await succeed('docker compose build secrets')
        writeFileSync(envFile(), text)
        const { succeeded, output } = await shell('docker compose up --detach --no-build gateway')
        expect({ succeeded, output }).toMatchObject({
          succeeded: false,
          output: expect.stringContaining('service "secrets" didn\'t complete successfully') as string,
        })
        expect(await succeed('docker compose logs secrets')).toContain(sentence)
        expect(await succeed('docker compose ps --quiet --status running')).toBe('')
      },
      buildWithinMs,
    )

    test('a process can read all files of its compile cache', async () => {
      const find = 'find /app/node_modules/.cache/node -type f'
      const inImage = `docker run --rm --entrypoint sh ${project}/gateway -c`
      expect(Number(await succeed(`${inImage} '${find} | wc -l'`))).toBeGreaterThan(100)
      expect(await succeed(`${inImage} '${find} ! -readable'`)).toBe('')
    })

    test(
      'the image of the gateway starts and serves the console',
      async () => {
        await succeed('docker compose build secrets')
        await succeed('docker compose up --detach --no-build gateway')
        const what = 'Waiting for the gateway in its container'
        await until(
          () =>
            get('/health/live').then(
              ({ ok }) => ok,
              () => false,
            ),
          { what, withinMs: 60_000, everyMs: 250 },
        )
        const page = await get('/console/')
        const html = await page.text()
        expect({ status: page.status, html }).toMatchObject({
          status: 200,
          html: expect.stringContaining('<script type="module"') as string,
        })
        const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(html) ?? []
        expect((await get(script)).status).toBe(200)
      },
      buildWithinMs,
    )
  },
)
