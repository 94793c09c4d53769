export * from '#/database.ts'
export * from '#/proxy.ts'
export * from '#/servers.ts'
export * from '#/terminal.ts'
