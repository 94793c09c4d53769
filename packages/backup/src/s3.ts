import { AwsClient } from 'aws4fetch'
import { openAsBlob } from 'node:fs'
import { reasonOf } from '#/reason.ts'

/** A bucket of S3 or of an S3-compatible service. */
export type Bucket = {
  /** The URL with the bucket and a folder: https://bucket.s3.eu-central-1.amazonaws.com/platter, http://minio:9000/bucket/platter */
  url: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

type StoredArchive = { file: string; bytes: number; sha256: string }

/** S3 accepts an object of up to 5 GiB in one request. */
const MAX_BYTES = 5 * 1024 ** 3

/** The URL that lists a bucket, and the folder of the archives in it. */
type Place = { list: string; folder: string }

const folderOf = (segments: readonly string[]): string => segments.map((segment) => `${segment}/`).join('')

/** Returns the two places of a URL: its bucket is in the host or, as with MinIO, the first segment of the path. */
function placesOf(base: string): Place[] {
  const { origin, pathname } = new URL(base)
  const [first, ...rest] = pathname.split('/').filter((segment) => segment !== '')
  if (first === undefined) return [{ list: `${origin}/`, folder: '' }]
  return [
    { list: `${origin}/`, folder: folderOf([first, ...rest]) },
    { list: `${origin}/${first}`, folder: folderOf(rest) },
  ]
}

/** Returns a client for the archives in a bucket. Every method throws if the response of S3 is not 2xx. */
export function s3({ url, region, accessKeyId, secretAccessKey }: Bucket) {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
  const base = url.replace(/\/$/, '')

  async function send(target: string, init: RequestInit): Promise<string> {
    const response = await client.fetch(target, init).catch((cause: unknown) => {
      throw new Error(`S3 cannot be reached at ${new URL(target).origin}: ${reasonOf(cause)}`, { cause })
    })
    const text = await response.text()
    if (!response.ok)
      throw new Error(`S3 responds with ${response.status} to ${init.method ?? 'GET'} ${target}`)
    return text
  }

  return {
    /** S3 computes the SHA-256 of the stored object, and rejects the object on a mismatch. */
    async put(name: string, { file, bytes, sha256 }: StoredArchive): Promise<void> {
      if (bytes > MAX_BYTES)
        throw new Error(`${file} is larger than 5 GiB, the most that S3 accepts in one request`)
      await send(`${base}/${name}`, {
        method: 'PUT',
        headers: {
          'content-type': 'application/octet-stream',
          'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
        },
        body: await openAsBlob(file),
      })
    },
    async list(): Promise<string[]> {
      for (const place of placesOf(base)) {
        const names = await namesIn(place, (target) => send(target, {}))
        if (names) return names
      }
      throw new Error(`S3 lists no bucket at ${base}: the URL needs the bucket in its host or its path`)
    },
    async remove(name: string): Promise<void> {
      await send(`${base}/${name}`, { method: 'DELETE' })
    },
  }
}

/** Returns null if the place is not a bucket: MinIO lists its buckets at the root. */
async function namesIn(
  { list, folder }: Place,
  get: (target: string) => Promise<string>,
): Promise<string[] | null> {
  const names: string[] = []
  let after: string | undefined
  do {
    const query = new URLSearchParams({
      'list-type': '2',
      prefix: `${folder}platter-`,
      ...(after !== undefined && { 'continuation-token': after }),
    })
    const xml = await get(`${list}?${query.toString()}`)
    if (!xml.includes('<ListBucketResult')) return null
    const keys = [...xml.matchAll(/<Key>([^<]+)<\/Key>/g)]
    names.push(...keys.map(([, key]) => (key ?? '').slice(folder.length)))
    after = /<NextContinuationToken>([^<]+)</.exec(xml)?.[1]
  } while (after !== undefined)
  return names
}
