import type { App } from '@platter/kit'
import { z } from 'zod'
import { clientTokenOf } from './cards.ts'
import { invalid } from './responses.ts'

const NewCard = z.object({
  cardNumber: z.string().transform((digits) => digits.replaceAll(/[\s-]/g, '')),
  cvv: z.string().regex(/^\d{3,4}$/),
  expirationMonth: z.string().regex(/^(0[1-9]|1[0-2])$/),
  expirationYear: z.string().regex(/^\d{2}$/),
})

/**
 * The token endpoint for clients: it receives card numbers, and Platter receives only a token. It needs no access key and allows
 * pages of any origin. The number is neither stored nor logged, and an error contains only names of fields.
 */
export function addClientTokens(app: App): void {
  app.addHook('onRequest', async ({ url }, reply) => {
    if (url.startsWith(PATH)) void reply.header('access-control-allow-origin', '*')
  })
  app.options(PATH, async (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '86400',
      })
      .send(),
  )
  app.post(PATH, async ({ body }, reply) => {
    const card = NewCard.safeParse(body)
    if (!card.success) return reply.code(400).send(invalid(card.error).body)
    const token = clientTokenOf(card.data.cardNumber, card.data)
    return token === null
      ? reply.code(402).send({ code: 'card_declined', declineCode: 'invalid_number' })
      : reply.send({ token })
  })
}

const PATH = '/client-tokens'
