import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readComposeFile } from '../../dev/servers/compose-file.ts'

/*
 * Only docker-compose.yml defines the build of an image. tests/deploy/images.stack.test.ts builds them. All other images have an
 * exact version, so that two machines with the same commit run the same servers.
 */

type Build = { target: string; args: { PACKAGE: string } }

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const built = new Map(
  Object.values(readComposeFile()).flatMap(({ image, build }) =>
    build === undefined ? [] : [[image, build as Build] as const],
  ),
)

test('docker-compose.yml builds exactly the images that Kubernetes runs', () => {
  const manifests = globSync('deploy/kubernetes/**/*.yaml', { cwd: root }).map(read).join('\n')
  const named = [...manifests.matchAll(/(?:image|name): (platter\/\w+)/g)].map(([, image = '']) => image)
  expect(new Set(named)).toEqual(new Set(built.keys()))
})

test('the README of Kubernetes tags every image that docker-compose.yml builds', () => {
  const readme = read('deploy/kubernetes/README.md')
  const [, names = ''] =
    /^docker compose build\nfor name in (.+); do\n {2}docker tag platter\/\$name /m.exec(readme) ?? []
  expect(new Set(names.split(' ').map((name) => `platter/${name}`))).toEqual(new Set(built.keys()))
})

test('no document names the target of an image or another command than docker compose build', () => {
  const documents = globSync('{*.md,{deploy,docs,dev,apps,services,packages,tests}/**/*.md}', {
    cwd: root,
  }).filter((file) => !file.includes('node_modules'))
  expect(documents).toContain('README.md')
  expect(documents.filter((file) => /docker build |--target\b/.test(read(file)))).toEqual([])
})

test('each image has a stage in the Dockerfile; the gateway stage has the console and openapi.json', () => {
  const stages = read('Dockerfile')
    .split(/^FROM /m)
    .slice(1)
  const stageOf = (image: string) =>
    stages.find((stage) => new RegExp(`^\\S+ AS ${built.get(image)?.target}\\n`).test(stage)) ?? ''
  for (const image of built.keys()) expect({ image, stage: stageOf(image) }).not.toEqual({ image, stage: '' })
  expect(stageOf('platter/gateway')).toContain('COPY --from=console /app/apps/console/dist ')
  expect(stageOf('platter/gateway')).toContain('COPY docs/openapi.json ')
  expect(built.get('platter/gateway')?.args).toEqual({ PACKAGE: 'services/gateway' })
})

/** The images of publishers in all files that name one, in the order of the files. */
const foreign = [
  'Dockerfile',
  ...globSync(['docker-compose*.yml', 'deploy/kubernetes/**/*.yaml'], { cwd: root }),
].flatMap((file) => foreignImages(read(file)))

function foreignImages(text: string): string[] {
  const named = text.matchAll(/^ *(?:- )?(?:image|imageName):? +['"]?([^\s'"*&]+)|^ARG NODE=(\S+)$/gm)
  return [...named]
    .map(([, image, base]) => image ?? base ?? '')
    .filter((image) => !image.startsWith('platter/'))
}

/** Versions of PostgreSQL have two numbers, all other versions three. */
const isExact = (image: string): boolean =>
  /postgres(ql)?:\d+\.\d+(-\S+)?$|:\d+\.\d+\.\d+(-\S+)?$/.test(image)

test('the image of each server names one version, and all files name the same one', () => {
  expect(foreign.length).toBeGreaterThan(10)
  expect(foreign.filter((image) => !isExact(image))).toEqual([])
  // The operator of RabbitMQ needs the management plugin. No other part uses it, and RabbitMQ starts 2 s earlier without it.
  const images = new Set(foreign.map((image) => image.replace(/-management$/, '')))
  const versions = Map.groupBy(images, (image) => image.split(':')[0])
  expect([...versions].filter(([, of]) => of.length > 1)).toEqual([])
})

test('finds a moving tag and a missing tag', () => {
  for (const image of [
    'postgres:18',
    'postgres',
    'redis:8',
    'redis:8.0',
    'caddy:2-alpine',
    'node:24-slim',
    'rabbitmq:latest',
  ])
    expect({ image, isExact: isExact(image) }).toEqual({ image, isExact: false })
  expect(
    foreignImages(
      '  image: redis:8\n  image: platter/jobs:1\nARG NODE=node:24-slim\n  imageName: ghcr.io/x:1\n',
    ),
  ).toEqual(['redis:8', 'node:24-slim', 'ghcr.io/x:1'])
})
