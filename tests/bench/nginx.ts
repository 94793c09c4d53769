import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProcessHost } from '../../dev/process/host.ts'
import { freePort } from '../../dev/process/ports.ts'
import { until } from '../../dev/process/wait.ts'
import type { Reporter } from '../../dev/progress.ts'
import { ensureProgram } from '../../dev/servers/programs.ts'
import { isPortOpen } from '../../dev/servers/readiness.ts'

/** At SIGTERM, nginx closes all connections, and ends within a few ms. */
const STOP_WITHIN_MS = 5_000

/** Starts nginx as a proxy for all paths of the upstream. Installs the package of Debian if permitted. `cleanup` stops it. */
export async function startNginx(
  cleanup: AsyncDisposableStack,
  { directory, upstream, reporter }: { directory: string; upstream: string; reporter: Reporter },
): Promise<{ url: string; pid: number }> {
  const host = createProcessHost(directory)
  const program = await ensureProgram('nginx', 'nginx-light', { host, reporter })
  const port = await freePort()
  const settings = join(directory, 'nginx.conf')
  writeFileSync(settings, configuration({ directory, port, upstream }))
  const nginx = host.spawn({
    name: 'nginx',
    command: program,
    args: ['-p', directory, '-c', settings, '-e', 'stderr', '-g', 'daemon off;'],
    env: { PATH: process.env['PATH'] },
    cwd: directory,
    log: join(host.logs, 'nginx.log'),
    // SIGKILL would leave its worker.
    orphanSignal: 'SIGTERM',
  })
  cleanup.defer(() => nginx.stop(STOP_WITHIN_MS))
  await until(() => isPortOpen('127.0.0.1', port), {
    what: 'Starting nginx',
    withinMs: 10_000,
    evidence: () => nginx.output(),
  })
  return { url: `http://127.0.0.1:${port}`, pid: nginx.pid! }
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
