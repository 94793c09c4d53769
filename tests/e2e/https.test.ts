import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { request as overHttp } from 'node:http'
import { request as overHttps } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createProcessHost } from '../../dev/process/host.ts'
import { plainReporter } from '../../dev/progress.ts'
import { checkAddress, ownAddresses, startHttps, type HttpsFront } from '../../dev/stack/https.ts'
import { seedRestaurants } from '../support/fixtures.ts'
import { keyOf, setUpOwnStack, stack } from './stack.ts'

/* `npm start -- --host`, from the view of another device of the network. */

const [address = ''] = ownAddresses()
let directory: string
let https: HttpsFront
let url: string

const start = () =>
  startHttps({
    directory,
    address,
    gateway: Number(new URL(stack().gateway).port),
    host: createProcessHost(directory),
    reporter: plainReporter(() => undefined),
    signal: undefined,
  })

type HttpResponse = { status: number | undefined; cookies: string[]; body: string }

/** Sends a request of a device that trusts the certificate, and checks that the certificate is for this address. */
async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<HttpResponse> {
  const ca = await readFile(https.certificate)
  return new Promise((resolve, reject) => {
    const request = overHttps(`${url}${path}`, { method, ca, headers, agent: false }, (response) => {
      const { statusCode: status, headers: received } = response
      void text(response).then(
        (content) => resolve({ status, cookies: received['set-cookie'] ?? [], body: content }),
        reject,
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}

test('--host refuses an address of another machine, lists the own ones, and accepts 0.0.0.0', () => {
  expect(() => checkAddress('203.0.113.77')).toThrow(
    /^--host takes an address of this machine .*not "203\.0\.113\.77"$/,
  )
  for (const own of ownAddresses()) expect(() => checkAddress('203.0.113.77')).toThrow(own)
  expect(() => checkAddress('tablet')).toThrow('not "tablet"')
  expect(() => checkAddress('0.0.0.0')).not.toThrow()
})

describe.skipIf(address === '')(`HTTPS at ${address || 'no address: machine without network'}`, () => {
  setUpOwnStack(async () => {
    directory = mkdtempSync(join(tmpdir(), 'platter-https-'))
    https = await start()
    url = https.urls[0] ?? ''
    return async () => {
      await https.stop()
      rmSync(directory, { recursive: true })
    }
  })

  test('another device opens the console and signs in, with a Secure cookie', async () => {
    expect((await send('GET', '/console/')).body).toContain('<script type="module"')
    const accessKey = keyOf(seedRestaurants.console)
    const page = { origin: url, 'content-type': 'application/json' }
    const { status, cookies } = await send('POST', '/console/session', page, JSON.stringify({ accessKey }))
    const kept = cookies.filter((one) => !one.includes('Max-Age=0'))
    expect({ status, kept }).toEqual({
      status: 200,
      kept: [expect.stringMatching(/^__Host-.*; Secure/)],
    })
    const [cookie = ''] = kept[0]?.split(';') ?? []
    expect((await send('GET', '/console/session', { cookie })).status).toBe(200)
  })

  test('plain HTTP from another device gets no response', async () => {
    const response = new Promise((resolve, reject) => {
      overHttp(`${url.replace('https:', 'http:')}/console/`, resolve)
        .on('error', reject)
        .end()
    })
    await expect(response).rejects.toThrow(/socket hang up|ECONNRESET/)
  })

  test('the next start has the same certificate', async () => {
    const again = await start()
    await again.stop()
    expect({ ...again, urls: [], stop: null }).toEqual({ ...https, urls: [], stop: null })
  })
})
