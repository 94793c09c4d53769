export * from '#/archive.ts'
export * from '#/restore.ts'
export * from '#/snapshot.ts'
