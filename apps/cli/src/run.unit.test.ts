import { expect, test, vi } from 'vitest'
import { EXIT } from '#/exit.ts'
import { run } from '#/run.ts'

test('platter setup names the command that creates the secrets of an installation', async () => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(await run(['setup', '--domain', 'example.org'])).toBe(EXIT.usage)
  expect(String(printed.mock.calls[0]?.[0])).toContain('npm run setup')
})
