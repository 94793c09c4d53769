import { expect, test } from 'vitest'
import { faultOfSecrets, makeOwnSecrets, ownSecretNames } from './own-secrets.ts'

const complete = { NODE_ENV: 'production', ...makeOwnSecrets() }
const development = { NODE_ENV: 'development' }

test('accepts an installation with the default secrets, with or without other settings', () => {
  expect(faultOfSecrets(development, false)).toBeNull()
  expect(faultOfSecrets({ ...development, GATEWAY_PORT: '9000' }, false)).toBeNull()
})

test('accepts an .env with all secrets', () => {
  expect(faultOfSecrets(complete, false)).toBeNull()
})

test('refuses an empty .env, unless the shell has all secrets', () => {
  expect(faultOfSecrets(development, true)).toMatch(/^\.env is empty: /)
  expect(faultOfSecrets(complete, true)).toBeNull()
})

test.each(ownSecretNames)('refuses an .env that lacks %s, or has no value for it', (name) => {
  const { [name]: _, ...rest } = complete as NodeJS.ProcessEnv
  for (const environment of [rest, { ...rest, [name]: '' }])
    expect(faultOfSecrets(environment, false)).toMatch(new RegExp(`lacks ${name}: `))
})

test('refuses secrets with NODE_ENV=development, and NODE_ENV=production without secrets', () => {
  expect(faultOfSecrets({ ...complete, ...development }, false)).toContain('lacks NODE_ENV=production: ')
  expect(faultOfSecrets({ NODE_ENV: 'production' }, false)).toContain(`lacks ${ownSecretNames.join(', ')}: `)
})

test('creates different secrets each time', () => {
  const again = makeOwnSecrets()
  for (const [name, value] of Object.entries(makeOwnSecrets())) expect(again[name]).not.toBe(value)
})
