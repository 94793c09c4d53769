import { createApp, readJson, type Log, type Parts } from '@platter/kit'
import type { z } from 'zod'
import { addRoutes } from './routes.ts'
import { Book } from './book.ts'
import type { Config } from './config.ts'
import { Events } from './events.ts'
import { Faults, type Wait } from './faults.ts'
import { Entry, openLines } from './ledger.ts'
import { openSavedCards } from './saved-cards.ts'

/** Reads the whole ledger before it listens, so that no response depends on a part of it. */
export function wire(
  config: z.output<typeof Config>,
  log: Log,
  { wait, now = () => new Date() }: { wait?: Wait; now?: () => Date } = {},
): Parts {
  const { entries, lines: ledger } = openLines(config.LEDGER_FILE, Entry)
  const cards = openSavedCards(config.LEDGER_FILE)
  const app = createApp(log)
  readJson(app)
  const faults = new Faults(config.FAULTS, wait)
  const { WEBHOOK_URL: url, WEBHOOK_SECRET: secret } = config
  const events = new Events(url === undefined ? null : { url, secret }, faults, log)
  const book = new Book(entries, (token) => cards.isDetached(token))
  addRoutes(app, { book, cards, ledger, faults, events, now })
  return {
    app,
    checks: { ledger: () => ledger.settled() },
    async close() {
      events.stop()
      await Promise.all([ledger.close(), cards.close()])
    },
  }
}
