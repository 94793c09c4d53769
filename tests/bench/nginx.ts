import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProcessHost, findProgram } from '../../dev/process/host.ts'
import { freePort } from '../../dev/process/ports.ts'
import { until } from '../../dev/process/wait.ts'
import type { Reporter } from '../../dev/progress.ts'
import { canInstall, installPackages } from '../../dev/servers/programs.ts'

const findNginx = () => findProgram('nginx', '/usr/sbin')

/** Starts nginx as a proxy for all paths of the upstream. Installs the package of Debian if permitted. `cleanup` stops it. */
export async function startNginx(
  cleanup: AsyncDisposableStack,
  { directory, upstream, reporter }: { directory: string; upstream: string; reporter: Reporter },
): Promise<{ url: string; pid: number }> {
  const host = createProcessHost(directory)
  if (findNginx() === null && canInstall())
    await installPackages(['nginx-light'], { host, reporter, signal: undefined })
  const program = findNginx()
  if (program === null)
    throw new Error(
      'nginx not found: install it ("sudo apt-get install nginx-light"); the bench measures its limits with it',
    )
  const port = await freePort()
  const settings = join(directory, 'nginx.conf')
  writeFileSync(settings, configuration({ directory, port, upstream }))
  const nginx = spawn(program, ['-p', directory, '-c', settings, '-e', 'stderr', '-g', 'daemon off;'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(nginx, 'spawn')
  const kill = () => void nginx.kill()
  process.once('exit', kill)
  cleanup.defer(kill)
  const url = `http://127.0.0.1:${port}`
  const isServing = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  await until(isServing, { what: 'Starting nginx', withinMs: 10_000 })
  return { url, pid: nginx.pid! }
}

type Place = { directory: string; port: number; upstream: string }

/** One worker, persistent connections on both sides, and no access log, for the lowest cost. */
const configuration = ({ directory, port, upstream }: Place) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  upstream fastify { server ${new URL(upstream).host}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://fastify;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
