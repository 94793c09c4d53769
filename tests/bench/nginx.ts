import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createProcessHost, findProgram, type ProcessHost } from '../../dev/process/host.ts'
import { freePort } from '../../dev/process/ports.ts'
import { Supervised } from '../../dev/process/supervise.ts'
import type { Reporter } from '../../dev/progress.ts'
import { canInstall, installPackages } from '../../dev/servers/programs.ts'

/** A running nginx. It serves the files of its folder at /static/, and all other paths from the upstream. */
export type Nginx = { url: string; pids: () => number[]; stop: () => Promise<void> }

const findNginx = () => findProgram('nginx', '/usr/sbin')

/** Starts nginx. Installs the package of Debian if permitted. */
export async function startNginx(
  directory: string,
  { files, upstream, reporter }: { files: string; upstream: string; reporter: Reporter },
): Promise<Nginx> {
  const host = createProcessHost(directory)
  process.once('exit', () => host.killAll())
  if (findNginx() === null) await install(host, reporter)
  const program = findNginx()
  if (program === null) throw new Error('nginx is installed, but was not found')
  const port = await freePort()
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'])
    mkdirSync(join(directory, name), { recursive: true })
  const settings = join(directory, 'nginx.conf')
  writeFileSync(settings, configuration({ directory, port, files, upstream }))
  const supervised = new Supervised({ host, reporter }, () => ({
    name: 'nginx',
    command: program,
    args: ['-p', directory, '-c', settings, '-e', 'stderr', '-g', 'daemon off;'],
    env: process.env,
    cwd: directory,
    log: join(host.logs, 'nginx.log'),
    stopSignal: 'SIGTERM',
    orphanSignal: 'SIGTERM',
  }))
  const url = `http://127.0.0.1:${port}`
  const isServing = () =>
    fetch(`${url}/static/menu`).then(
      ({ ok }) => ok,
      () => false,
    )
  await supervised.ready(isServing, { withinMs: 10_000, signal: undefined })
  return { url, pids: supervised.pids, stop: supervised.stop }
}

async function install(host: ProcessHost, reporter: Reporter): Promise<void> {
  if (!canInstall())
    throw new Error(
      'nginx not found: install it ("sudo apt-get install nginx-light"); the bench measures its limits with it',
    )
  await installPackages(['nginx-light'], { host, reporter, signal: undefined })
}

type Place = { directory: string; port: number; files: string; upstream: string }

/** One worker, persistent connections on both sides, and no access log, for the lowest cost. */
const configuration = ({ directory, port, files, upstream }: Place) => `
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  default_type application/json;
  open_file_cache max=100;
  client_body_temp_path ${directory}/body;
  proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/fastcgi;
  uwsgi_temp_path ${directory}/uwsgi;
  scgi_temp_path ${directory}/scgi;
  upstream fastify { server ${new URL(upstream).host}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location /static/ { alias ${files}/; }
    location / {
      proxy_pass http://fastify;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
