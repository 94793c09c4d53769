import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/* Executes deploy/compose/upgrade.sh with a replacement of Docker. tests/go-live executes it with Docker. */

const script = join(import.meta.dirname, '../../deploy/compose/upgrade.sh')

type Situation = {
  /** The pattern of the command that fails. */
  fails?: string
  /** What else happens at that command, in sh. */
  first?: string
  /** Containers that interrupted runs left beside a service. */
  left?: string
}

/** Every container runs and is ready, unless `fails` is a pattern of the command. */
async function upgrade({
  fails = 'never',
  first = ':',
  left = '',
}: Situation): Promise<{ status: number | null; output: string; commands: string[] }> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'platter-upgrade-'))
  const log = join(folder.path, 'commands')
  writeFileSync(
    join(folder.path, 'docker'),
    `#!/bin/sh
echo "$*" >> ${log}
case "$*" in
  ${fails}) ${first}; exit 1 ;;
  'compose config --images '*) printf 'platter/jobs:2\\nplatter/orders:2\\n' ;;
  'compose run --detach'*) echo beside-$5 ;;
  'compose ps --quiet'*) echo new-$4 ;;
  ps*oneoff=True*project=platter*service=*) printf '%s\\n' ${left} "beside-\${*##*service=}" ;;
  inspect*project*) echo platter ;;
  inspect*Networks*) echo default ;;
  inspect*) echo true ;;
esac
`,
    { mode: 0o755 },
  )
  const { status, stdout, stderr } = spawnSync('sh', [script], {
    encoding: 'utf8',
    env: { PATH: `${folder.path}:${process.env['PATH']}`, READY_WITHIN_S: '0' },
  })
  return { status, output: stdout + stderr, commands: readFileSync(log, 'utf8').split('\n') }
}

test('the script replaces each service, and leaves no container beside it', async () => {
  const { status, output, commands } = await upgrade({})
  expect({ status, last: output.trim().split('\n').at(-1) }).toEqual({
    status: 0,
    last: 'Every service has the new version',
  })
  expect(commands.filter((one) => one.startsWith('rm '))).toHaveLength(5)
})

test('without an image of PLATTER_VERSION nothing is changed: Compose would build other sources under its name', async () => {
  const { status, output, commands } = await upgrade({ fails: "'image inspect platter/orders:2'" })
  expect(status).toBe(1)
  expect(output).toContain('platter/orders:2')
  expect(commands.filter((one) => /^compose (run|up)/.test(one))).toEqual([])
})

test('a new service that does not become ready is removed, and the old one stays', async () => {
  const { status, commands } = await upgrade({ fails: "'exec beside-payments'*" })
  expect(status).toBe(1)
  expect(commands).toContain('rm --force beside-payments')
  expect(commands).not.toContain('compose up --detach --no-deps payments')
})

test.each([
  [
    'Compose cannot create the container in the place of the old one',
    "'compose up --detach --no-deps payments'",
  ],
  ['the container in the place of the old one is not ready', "'exec new-payments'*"],
])('the ready container stays when %s, because the old one may be gone', async (_, fails) => {
  const { status, output, commands } = await upgrade({ fails, left: 'orphan' })
  expect(status).toBe(1)
  expect(commands.filter((one) => /^(rm|stop) /.test(one))).toEqual([])
  expect(output).toContain('beside-payments responds')
})

test.each(['HUP', 'INT', 'PIPE', 'TERM'])(
  'a script that SIG%s ends removes the new service that is not ready yet',
  async (signal) => {
    // SIGHUP: the SSH session of the operator ends.
    const { commands } = await upgrade({ fails: "'exec beside-payments'*", first: `kill -${signal} $PPID` })
    expect(commands).toContain('rm --force beside-payments')
    expect(commands).not.toContain('compose up --detach --no-deps payments')
  },
)

test('a container that an interrupted run left is removed once its service has the new version', async () => {
  const { status, commands } = await upgrade({ left: 'orphan' })
  expect(status).toBe(0)
  const steps = ['exec new-payments', 'stop orphan', 'rm orphan', 'compose run --detach --no-deps accounts']
  const order = steps.map((step) => commands.findIndex((one) => one.startsWith(step)))
  expect(order).not.toContain(-1)
  expect(order).toEqual(order.toSorted((one, other) => one - other))
})

test('a second run at the same time changes nothing, and says so: it would remove the container of the first one', async () => {
  // The first run executes the second one at this command. `second` prevents a third run if the second one is not refused.
  const { output, commands } = await upgrade({
    fails: "'compose run --detach'*",
    first: `[ "$second" ] || second=true sh ${script}`,
  })
  expect(output).toContain('Nothing was changed, because another run of this script is in progress')
  expect(commands.filter((one) => one.startsWith('compose config'))).toHaveLength(1)
})

test('after a run that was killed, the next one continues', async () => {
  await upgrade({ fails: "'exec beside-payments'*", first: 'kill -KILL $PPID' })
  expect((await upgrade({})).status).toBe(0)
})
