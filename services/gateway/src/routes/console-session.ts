import type { PrincipalOf } from '@platter/contracts'
import { Problem, readJson, type App } from '@platter/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { AccessKeys } from '#/access-keys.ts'
import { addressOf } from '#/client-address.ts'
import { checkOwnPage, sessionCookies, sessionKeyOf } from '#/console-session.ts'

const URL = '/console/session'
/** An access key has at most 128 characters, and the body is read before the key is known. */
const BODY_LIMIT = 1_024
const SignIn = z.object({ accessKey: z.string() })

/**
 * The routes that sign in to the console, sign out, and read the signed-in restaurant. Bad keys count like those of any request.
 */
export function consoleSession(app: App, accessKeys: AccessKeys): void {
  void app.register(async (scope) => {
    readJson(scope)
    scope.addHook('onRequest', async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      checkOwnPage(request)
    })

    scope.post(URL, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
      const { data } = SignIn.safeParse(request.body)
      if (!data) throw new Problem('missing-field', 'accessKey is missing.')
      const principal = await restaurantOf(accessKeys, request, data.accessKey)
      return signedIn(reply.header('set-cookie', sessionCookies(request, data.accessKey)), principal)
    })

    scope.get(URL, async (request, reply) =>
      signedIn(reply, await restaurantOf(accessKeys, request, sessionKeyOf(request))),
    )

    scope.delete(URL, { bodyLimit: BODY_LIMIT }, async (request, reply) =>
      reply.header('set-cookie', sessionCookies(request, null)).send({ restaurantApiKey: null }),
    )
  })
}

const signedIn = (reply: FastifyReply, { restaurantApiKey }: PrincipalOf<'restaurant'>) =>
  reply.send({ restaurantApiKey })

/** Returns the restaurant of the key. Throws Problem like `principalOf`, and not-allowed for any other kind of key. */
async function restaurantOf(
  accessKeys: AccessKeys,
  request: FastifyRequest,
  accessKey: string | undefined,
): Promise<PrincipalOf<'restaurant'>> {
  const principal = await accessKeys.principalOf(accessKey, {
    requestId: request.id,
    address: addressOf(request),
  })
  if (principal.kind === 'restaurant') return principal
  throw new Problem('not-allowed', 'The console is for access keys of restaurants.')
}
