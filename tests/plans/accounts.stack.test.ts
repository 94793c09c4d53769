import * as keys from '@platter/kit/idempotency/key-store'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as accessKeys from '../../services/accounts/src/store/access-keys.ts'
import { postgresAddresses, type AddressStore } from '../../services/accounts/src/store/addresses.ts'
import { postgresCards, type CardStore } from '../../services/accounts/src/store/cards.ts'
import * as recipients from '../../services/accounts/src/store/recipients.ts'
import type { Db, Trx } from '../../services/accounts/src/store/tables.ts'
import * as users from '../../services/accounts/src/store/users.ts'
import { namedCalls, openDatabase, type CallsOf } from './plans.ts'

type Tables = Db extends Kysely<infer T> ? T : never

const ROWS = 20_000
const growing = ['users', 'user_applications', 'cards', 'addresses', 'idempotency_keys', 'access_keys']

const owner = { userApiKey: 'user1', applicationId: 'a' }
const scope = { accessKeyId: 'a', path: '/p', key: 'key1', fingerprint: 'f' }
const user = {
  apiKey: 'n',
  email: 'n@example.org',
  passwordHash: 'h',
  firstName: 'M',
  lastName: 'L',
  phone: '1',
}
const card = {
  apiKey: 'another',
  token: 't',
  brand: 'visa',
  lastFour: '4242',
  cardholderName: 'M',
  cardholderStreetAddress: 's',
  cardholderZip: 'z',
  expirationMonth: '09',
  expirationYear: '39',
  nickname: null,
}
const address = {
  apiKey: 'another',
  streetAddress: 's',
  aptNumber: null,
  city: 'c',
  state: 'WI',
  zip: 'z',
  latitude: null,
  longitude: null,
}
const key = { id: 'new', hash: 'new', prefix: 'p' }
const within = (db: Db, work: (trx: Trx) => Promise<unknown>) => db.transaction().execute(work)

const calls = {
  users: {
    insertUser: (db) => users.insertUser(db, user, 'a'),
    updateUser: (db) => users.updateUser(db, owner, { firstName: 'N' }),
    findCredentials: (db) => users.findCredentials(db, 'User1@example.org'),
    joinApplication: (db) => users.joinApplication(db, owner),
    replaceHash: (db) => users.replaceHash(db, 'user1', { from: 'h', to: 'i' }),
    isUserOfTenant: (db) => users.isUserOfTenant(db, owner),
    readUser: (db) => users.readUser(db, owner),
  },
  cards: {
    checkCapacity: (db) => postgresCards(db).checkCapacity(owner),
    add: (db) => within(db, (trx) => postgresCards(trx).add(owner, card)),
    remove: (db) => within(db, (trx) => postgresCards(trx).remove(owner, 'card1')),
    save: (db) => postgresCards(db).save('user1', card),
  },
  addresses: {
    add: (db) => within(db, (trx) => postgresAddresses(trx).add(owner, address)),
    remove: (db) => within(db, (trx) => postgresAddresses(trx).remove(owner, 'address1')),
    save: (db) => postgresAddresses(db).save('user1', address),
  },
  recipients: {
    findRecipient: (db) =>
      recipients.findRecipient(db, owner, {
        cardApiKey: 'card1',
        addressApiKey: 'address1',
        newCard: card,
        newAddress: address,
      }),
  },
  keys: {
    findResponse: (db) => keys.findResponse(db, scope),
    claimKey: (db) => within(db, (trx) => keys.claimKey(trx, scope)),
    storeResponse: (db) => within(db, (trx) => keys.storeResponse(trx, scope, '{}')),
    deleteExpiredKeys: (db) => keys.deleteExpiredKeys(db),
  },
  accessKeys: {
    insertApplicationKey: (db) => accessKeys.insertApplicationKey(db, key, 'a'),
    insertRestaurantKey: (db) => accessKeys.insertRestaurantKey(db, { ...key, id: 'r', hash: 'r' }, 'r'),
    insertOperatorKey: (db) => accessKeys.insertOperatorKey(db, { ...key, id: 'o', hash: 'o' }),
    ensureOperatorKey: (db) => accessKeys.ensureOperatorKey(db, 'e'),
    findKey: (db) => accessKeys.findKey(db, 'hash1'),
    markUsed: (db) => accessKeys.markUsed(db, 'key1'),
    importsVersion: (db) => accessKeys.importsVersion(db),
    importedHashes: (db) => accessKeys.importedHashes(db),
    hasApplication: (db) => accessKeys.hasApplication(db, 'a'),
  },
} satisfies {
  users: CallsOf<typeof users, Db>
  cards: CallsOf<CardStore, Db>
  addresses: CallsOf<AddressStore, Db>
  recipients: CallsOf<typeof recipients, Db>
  keys: CallsOf<typeof keys, Db>
  accessKeys: CallsOf<typeof accessKeys, Db>
}

let database: Awaited<ReturnType<typeof openDatabase<Tables>>>

beforeAll(async () => {
  database = await openDatabase<Tables>('accounts')
  await database.pool.query(`
    insert into applications (id, name) values ('a', 'a');
    insert into users (api_key, email, password_hash, first_name, last_name, phone)
      select 'user' || n, 'user' || n || '@example.org', 'h', 'M', 'L', '1' from generate_series(1, ${ROWS}) n;
    insert into user_applications select api_key, 'a' from users;
    insert into cards (api_key, user_api_key, token, brand, last_four, cardholder_name, cardholder_street_address,
        cardholder_zip, expiration_month, expiration_year)
      select 'card' || n, 'user' || n, 't', 'visa', '4242', 'M', 's', 'z', '09', '39' from generate_series(1, ${ROWS}) n;
    insert into addresses (api_key, user_api_key, street_address, city, state, zip)
      select 'address' || n, 'user' || n, 's', 'c', 'WI', 'z' from generate_series(1, ${ROWS}) n;
    insert into access_keys (id, hash, kind, application_id)
      select 'key' || n, 'hash' || n, 'application', 'a' from generate_series(1, ${ROWS}) n;
    insert into idempotency_keys (access_key_id, path, key, fingerprint)
      select 'a', '/p', 'key' || n, 'f' from generate_series(1, ${ROWS}) n;
    analyze`)
})
afterAll(() => database.close())

test.each(namedCalls<Db>(calls))(
  '%s reads no table from one end to the other that grows with users',
  async (_, call) => {
    const whole = await database.readsWhole(call)
    expect(whole.filter((table) => growing.includes(table))).toEqual([])
  },
)
