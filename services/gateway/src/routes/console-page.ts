import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fastifyStatic } from '@fastify/static'
import { Problem, type App } from '@platter/kit'
import type { FastifyError } from 'fastify'
import { headersOfPage } from '#/html.ts'

/** The output of `vite build` in apps/console. */
const BUILT = fileURLToPath(new URL('../../../../apps/console/dist/', import.meta.url))

const NO_FEATURES =
  'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()'

const ofEverything = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

const ofPage = {
  ...headersOfPage(
    "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'",
  ),
  'permissions-policy': NO_FEATURES,
  'cross-origin-opener-policy': 'same-origin',
}

/** The name of an asset contains the hash of its content, so the content of a name never changes. */
const FOR_EVER = 'public, max-age=31536000, immutable'

/** The restaurant's console: the built files in `folder`. */
export function consolePage(app: App, folder: string = BUILT): void {
  void app.register(
    async (scope) => {
      // The plugin throws a 4xx error for a folder, and for a path with NUL or a backslash.
      scope.setErrorHandler((error: FastifyError, _request, reply) => {
        if (error instanceof Problem || (error.statusCode ?? 500) >= 500) throw error
        reply.callNotFound()
      })
      scope.setNotFoundHandler(async () => {
        if (existsSync(`${folder}/index.html`))
          throw new Problem('no-such-endpoint', 'There is no such page.')
        throw new Problem(
          'service-unavailable',
          'The console is not built: npm run build --workspace apps/console.',
        )
      })
      await scope.register(fastifyStatic, {
        root: folder,
        index: false,
        cacheControl: false,
        acceptRanges: false,
        suppressWarning: true,
        setHeaders: (reply, path) => {
          const isPage = path.endsWith('.html')
          void reply.headers({
            ...(isPage ? ofPage : ofEverything),
            'cache-control': path.includes('/assets/') ? FOR_EVER : 'no-cache',
          })
        },
      })
      scope.get('/', (_request, reply) => reply.sendFile('index.html'))
    },
    { prefix: '/console' },
  )
}
