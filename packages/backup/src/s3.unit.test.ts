import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { startHttpServer } from '@platter/testkit/http-server'
import { afterAll, expect, test } from 'vitest'
import { s3 } from '#/s3.ts'

/** A fake of S3 with the checks of S3 for these requests, except the signature. */
const objects = new Map<string, Buffer>()
const server = await startHttpServer((request, response) => {
  void respond(request).then(([status, body]) => response.writeHead(status).end(body))
})
const folder = mkdtempSync(join(tmpdir(), 'platter-s3-'))
const place = { region: 'eu-central-1', accessKeyId: 'id', secretAccessKey: 'secret' }
const bucket = s3({ url: `${server.url}/backups/`, ...place })
/** The path that lists the bucket. */
let list = '/'

async function respond(request: IncomingMessage): Promise<[status: number, body: string]> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3')
  const content = await buffer(request)
  const signed = /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=/
  if (!signed.test(request.headers.authorization ?? '')) return [403, '']
  if (request.method === 'DELETE') return [objects.delete(pathname) ? 204 : 404, '']
  if (request.method === 'GET')
    return [
      200,
      pathname === list ? pageOf(searchParams) : '<ListAllMyBucketsResult></ListAllMyBucketsResult>',
    ]
  const sum = createHash('sha256').update(content).digest('base64')
  if (sum !== request.headers['x-amz-checksum-sha256']) return [400, 'BadDigest']
  if (Number(request.headers['content-length']) !== content.length) return [411, '']
  objects.set(pathname, content)
  return [200, '']
}

/** Pages of one object. */
function pageOf(query: URLSearchParams): string {
  const root = list === '/' ? list : `${list}/`
  const keys = [...objects.keys()].filter((key) => key.startsWith(`${root}${query.get('prefix')}`))
  const at = Number(query.get('continuation-token') ?? 0)
  const next = at + 1 < keys.length ? `<NextContinuationToken>${at + 1}</NextContinuationToken>` : ''
  return `<ListBucketResult><Contents><Key>${keys[at]?.slice(root.length)}</Key></Contents>${next}</ListBucketResult>`
}

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

test.each([
  ['host', '/'],
  ['path', '/backups'],
])(
  'a bucket in the %s: archives are stored with their checksum, listed over pages, and deleted',
  async (_, path) => {
    list = path
    const file = join(folder, 'one')
    const content = Buffer.alloc(3_000_000, 'archive')
    writeFileSync(file, content)
    const names = ['platter-2026-11-22T031500Z.age', 'platter-2026-11-23T031500Z.age']
    const sha256 = createHash('sha256').update(content).digest('hex')
    for (const name of names) await bucket.put(name, { file, bytes: content.length, sha256 })
    expect(objects.get(`/backups/${names[0]}`)?.equals(content)).toBe(true)
    expect(await bucket.list()).toEqual(names)
    await bucket.remove(names[0] ?? '')
    expect(await bucket.list()).toEqual([names[1]])
    objects.clear()
  },
)

test('throws when the URL names no bucket', async () => {
  list = '/other'
  await expect(bucket.list()).rejects.toThrow('the URL needs the bucket in its host or its path')
})

test('throws the reason when nothing listens at the address', async () => {
  const { url, close } = await startHttpServer(() => undefined)
  await close()
  await expect(s3({ url, ...place }).list()).rejects.toThrow('ECONNREFUSED')
})

test('throws when S3 responds with 404', async () => {
  await expect(bucket.remove('platter-2020-01-01T000000Z.age')).rejects.toThrow(
    'S3 responds with 404 to DELETE',
  )
})
