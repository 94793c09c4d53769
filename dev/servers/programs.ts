import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { findProgram, type ProcessSpec } from '../process/host.ts'
import { runToEnd } from '../process/run.ts'
import type { Step } from '../progress.ts'
import { variables } from './given.ts'
import { postgresPackage } from './postgres-place.ts'
import { findRabbitmq } from './rabbitmq.ts'
import { findRedis } from './redis.ts'
import { properNames, type ServerContext, type ServerKind } from './types.ts'

/** Installs the programs of these servers if possible. Otherwise throws with the alternatives. */
export async function ensurePrograms(wanted: readonly ServerKind[], context: ServerContext): Promise<void> {
  const absent = wanted.filter((kind) => !isPresent[kind]())
  const packages = absent.flatMap((kind) => debianPackages[kind] ?? [])
  if (absent.length === 0) return
  if (packages.length < absent.length || !canInstall()) throw new Error(advice(absent, packages))
  await installPackages(packages, context)
}

type Place = Pick<ServerContext, 'host' | 'reporter' | 'signal'>

/** Returns a program, and installs its package of Debian if possible. Otherwise throws with the command for it. */
export async function ensureProgram(name: string, debianPackage: string, place: Place): Promise<string> {
  const find = () => findProgram(name, '/usr/sbin')
  if (find() === null && canInstall()) await installPackages([debianPackage], place)
  const program = find()
  if (program === null)
    throw new Error(`${name} not found: run "sudo apt-get install --no-install-recommends ${debianPackage}".`)
  return program
}

/** Installs packages of Debian. Requires `canInstall`. */
export async function installPackages(packages: readonly string[], place: Place): Promise<void> {
  await place.reporter.step(`Installing ${packages.join(' and ')} with apt-get`, async (step) => {
    await runApt('downloading the package lists', ['update'], place, step)
    const install = ['install', '--yes', '--no-install-recommends', ...packages]
    await runApt('downloading', [...install, '--download-only'], place, step)
    await runApt('unpacking', install, place, step)
  })
}

const isPresent: Readonly<Record<ServerKind, () => boolean>> = {
  postgres: () => postgresPackage() !== null,
  rabbitmq: () => findRabbitmq() !== null,
  redis: () => findRedis() !== null,
}

const debianPackages: Readonly<Partial<Record<ServerKind, string>>> = {
  rabbitmq: 'rabbitmq-server',
  redis: 'redis-server',
}

/** True for root on a machine with apt-get. */
export function canInstall(): boolean {
  return process.getuid?.() === 0 && findProgram('apt-get') !== null
}

function advice(absent: readonly ServerKind[], packages: readonly string[]): string {
  const names = absent.map((kind) => properNames[kind]).join(' and ')
  const urls = absent.map((kind) => variables[kind]).join(' and ')
  const otherwise = `start Docker, or set ${urls}`
  const all = packages.length === absent.length
  if (all && findProgram('apt-get') !== null) {
    return `${names} not found: run "sudo apt-get install --no-install-recommends ${packages.join(' ')}", or ${otherwise}.`
  }
  if (all && findProgram('brew') !== null) {
    return `${names} not found: run "brew install ${packages.map((name) => name.replace('-server', '')).join(' ')}", or ${otherwise}.`
  }
  return `${names} not found for ${platform()} ${arch()}: ${otherwise}.`
}

// Debian starts the service of an installed package, unless policy-rc.d forbids it. The shell restores the machine's own policy
// even if this process is killed, and a policy that an earlier power failure left renamed.
const withoutAutostart = `
policy=/usr/sbin/policy-rc.d
aside=$policy.before-platter
is_ours() { grep -qs 'temporary policy of Platter' "$policy"; }
put_back() { if is_ours; then rm "$policy"; if [ -e "$aside" ]; then mv "$aside" "$policy"; fi; fi; }
trap put_back EXIT
trap 'exit 1' HUP INT TERM
if ! is_ours && [ -e "$policy" ]; then mv "$policy" "$aside"; fi
printf '#!/bin/sh\\n# The temporary policy of Platter while it installs packages.\\nexit 101\\n' >"$policy"
chmod 755 "$policy"
"$@"
`

const aptSettings = [
  '--quiet',
  // Seconds to wait for another installation.
  '--option=DPkg::Lock::Timeout=120',
  '--option=Dpkg::Use-Pty=0',
  '--option=Dpkg::Options::=--force-confdef',
  '--option=Dpkg::Options::=--force-confold',
]

async function runApt(
  phase: string,
  command: readonly string[],
  { host, signal }: Place,
  step: Step,
): Promise<void> {
  step.now(phase)
  const spec: ProcessSpec = {
    name: `apt-get ${command[0]}`,
    command: '/bin/sh',
    args: ['-c', withoutAutostart, 'sh', 'apt-get', ...aptSettings, ...command],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
    cwd: '/',
    log: join(host.logs, 'install.log'),
    stopSignal: 'SIGINT',
    // Not aborted: a half-installed package is worse than an unused one.
    orphanSignal: null,
  }
  // Without the signal: a half-installed package is worse than a few seconds of waiting.
  await runToEnd(host, spec, { now: step.now })
  signal?.throwIfAborted()
}
