import { AwsClient } from 'aws4fetch'
import { openAsBlob } from 'node:fs'
import { reasonOf } from '#/reason.ts'

/** A bucket of S3 or of an S3-compatible service. */
export type Bucket = {
  /** The URL with the bucket and a folder: https://bucket.s3.eu-central-1.amazonaws.com/platter */
  url: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

type StoredArchive = { file: string; bytes: number; sha256: string }

/** S3 accepts an object of up to 5 GiB in one request. */
const MAX_BYTES = 5 * 1024 ** 3

/** Returns a client for the archives in a bucket. Every method throws if the response of S3 is not 2xx. */
export function s3({ url, region, accessKeyId, secretAccessKey }: Bucket) {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
  const base = url.replace(/\/$/, '')
  const { origin, pathname } = new URL(base)
  const folder = pathname === '/' ? '' : `${pathname.slice(1)}/`

  async function send(target: string, init: RequestInit): Promise<string> {
    const response = await responseOf(client, target, init)
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
      const names: string[] = []
      let after: string | undefined
      do {
        const query = new URLSearchParams({
          'list-type': '2',
          prefix: `${folder}platter-`,
          ...(after !== undefined && { 'continuation-token': after }),
        })
        const xml = await send(`${origin}/?${query.toString()}`, {})
        names.push(
          ...[...xml.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key]) => (key ?? '').slice(folder.length)),
        )
        after = /<NextContinuationToken>([^<]+)</.exec(xml)?.[1]
      } while (after !== undefined)
      return names
    },
    async remove(name: string): Promise<void> {
      await send(`${base}/${name}`, { method: 'DELETE' })
    },
  }
}

async function responseOf(client: AwsClient, target: string, init: RequestInit): Promise<Response> {
  try {
    return await client.fetch(target, init)
  } catch (error) {
    throw new Error(`S3 cannot be reached at ${new URL(target).origin}: ${reasonOf(error)}`, { cause: error })
  }
}
