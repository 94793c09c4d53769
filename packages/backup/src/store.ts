import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeArchive, type EncryptionKey } from '#/archive.ts'
import { reasonOf } from '#/reason.ts'
import { archiveName, DAY_MS, draftMomentOf, expiredOf, momentOf } from '#/retention.ts'
import { s3, type Bucket } from '#/s3.ts'
import { readSnapshot, type Source } from '#/snapshot.ts'

/** The places for archives: a folder, and a copy in a bucket unless `bucket` is null. */
export type BackupStore = { folder: string; bucket: Bucket | null; keepDays: number }

export type Written = {
  name: string
  file: string
  bytes: number
  sha256: string
  /** Expired archives of the folder. */
  deleted: string[]
  /** Why the bucket may still have expired archives; null if it has none. */
  bucketNotCleaned: string | null
}

/**
 * Writes an archive, copies it to the bucket, and then deletes the expired archives. An archive that could not be copied stays only
 * if the folder has no other one of the last 24 hours.
 */
export async function backUp(
  store: BackupStore,
  source: Source,
  key: EncryptionKey,
  now: Date,
): Promise<Written> {
  await mkdir(store.folder, { recursive: true, mode: 0o700 })
  const name = archiveName(now)
  const file = join(store.folder, name)
  await removeDrafts(store.folder, now)
  const earlier = await readdir(store.folder)
  const written = await writeArchive(file, key, readSnapshot(source))
  const deleted: string[] = []
  let bucketNotCleaned: string | null = null
  if (store.bucket) {
    const bucket = s3(store.bucket)
    try {
      await bucket.put(name, { file, ...written })
    } catch (error) {
      // A daily backup is retried every 15 minutes. While the bucket is unavailable, its archives would fill the disk.
      if (earlier.some((one) => now.getTime() - (momentOf(one) ?? 0) < DAY_MS)) await rm(file)
      throw error
    }
    // The copy is stored. A key that may only write protects the archives from an intruder, so it must not fail a backup.
    bucketNotCleaned = await deleteExpired(bucket, now, store.keepDays).catch(reasonOf)
  }
  for (const old of expiredOf(await readdir(store.folder), now, store.keepDays)) {
    await rm(join(store.folder, old))
    deleted.push(old)
  }
  return { name, file, ...written, deleted, bucketNotCleaned }
}

async function deleteExpired(bucket: ReturnType<typeof s3>, now: Date, keepDays: number): Promise<null> {
  for (const old of expiredOf(await bucket.list(), now, keepDays)) await bucket.remove(old)
  return null
}

/** Deletes the drafts of killed processes. A draft of the last 24 hours may belong to a running backup. */
async function removeDrafts(folder: string, now: Date): Promise<void> {
  for (const name of await readdir(folder)) {
    const at = draftMomentOf(name)
    if (at !== null && now.getTime() - at > DAY_MS) await rm(join(folder, name), { force: true })
  }
}

/** Returns the names of the archives in the bucket or, without a bucket, in the folder. */
export async function listArchives({ folder, bucket }: BackupStore): Promise<string[]> {
  return bucket ? s3(bucket).list() : readdir(folder)
}
