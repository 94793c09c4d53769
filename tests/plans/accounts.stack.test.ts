import type { Db } from '@platter/kit'
import * as keys from '@platter/kit/idempotency/key-store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  postgresAccessKeyRecords,
  type AccessKeyRecordStore,
} from '../../services/accounts/src/store/access-key-records.ts'
import { postgresAccessKeys, type AccessKeyStore } from '../../services/accounts/src/store/access-keys.ts'
import { postgresAddresses, type AddressStore } from '../../services/accounts/src/store/addresses.ts'
import {
  postgresCardDetachments,
  type CardDetachmentStore,
} from '../../services/accounts/src/store/card-detachments.ts'
import { postgresCards, type CardStore } from '../../services/accounts/src/store/cards.ts'
import {
  postgresApplications,
  type ApplicationStore,
} from '../../services/accounts/src/store/applications.ts'
import { postgresRecipients, type RecipientStore } from '../../services/accounts/src/store/recipients.ts'
import { postgresUsers, type UserStore } from '../../services/accounts/src/store/users.ts'
import { namedCalls, openDatabase, type CallsOf } from './plans.ts'

const ROWS = 6_000
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
const firstPage = { before: null, limit: 100 }
const key = { id: 'new', hash: 'new', prefix: 'p' }
const within = (db: Db, work: (trx: Db) => Promise<unknown>) => db.transaction().execute(work)

const calls = {
  users: {
    insert: (db) => postgresUsers(db).insert(user, 'a'),
    update: (db) => postgresUsers(db).update(owner, { firstName: 'N' }),
    isUser: (db) => postgresUsers(db).isUser(owner),
    findCredentials: (db) => postgresUsers(db).findCredentials('User1@example.org'),
    joinApplication: (db) => postgresUsers(db).joinApplication(owner),
    replaceHash: (db) => postgresUsers(db).replaceHash('user1', { from: 'h', to: 'i' }),
    find: (db) => postgresUsers(db).find(owner),
  },
  cards: {
    checkCapacity: (db) => postgresCards(db).checkCapacity(owner),
    add: (db) => within(db, (trx) => postgresCards(trx).add(owner, card)),
    remove: (db) => within(db, (trx) => postgresCards(trx).remove(owner, 'card1')),
    save: (db) => postgresCards(db).save('user1', card),
    setDetails: (db) => postgresCards(db).setDetails('token1', card),
  },
  cardDetachments: {
    takeDue: (db) => postgresCardDetachments(db).takeDue(20),
    delete: (db) => postgresCardDetachments(db).delete('card1'),
  },
  addresses: {
    checkCapacity: (db) => postgresAddresses(db).checkCapacity(owner),
    add: (db) => within(db, (trx) => postgresAddresses(trx).add(owner, address)),
    remove: (db) => within(db, (trx) => postgresAddresses(trx).remove(owner, 'address1')),
    save: (db) => postgresAddresses(db).save('user1', address),
  },
  recipients: {
    find: (db) =>
      postgresRecipients(db).find(owner, {
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
  applications: {
    insert: (db) => postgresApplications(db).insert({ id: 'new', name: 'new' }),
    list: (db) => postgresApplications(db).list(firstPage),
    exists: (db) => postgresApplications(db).exists('a'),
  },
  accessKeys: {
    insert: (db) => postgresAccessKeys(db).insert(key, { kind: 'application', applicationId: 'a' }),
    ensureOperatorKey: (db) => postgresAccessKeys(db).ensureOperatorKey('e'),
    find: (db) => postgresAccessKeys(db).find('hash1'),
    recordUse: (db) => postgresAccessKeys(db).recordUse('key1'),
  },
  accessKeyRecords: {
    list: (db) => postgresAccessKeyRecords(db).list({ kind: 'application', applicationId: 'a' }, firstPage),
    revoke: (db) => within(db, (trx) => postgresAccessKeyRecords(trx).revoke('key2')),
    lock: (db) => within(db, (trx) => postgresAccessKeyRecords(trx).lock('key3')),
    replace: (db) =>
      within(db, async (trx) => {
        const records = postgresAccessKeyRecords(trx)
        const old = await records.lock('key3')
        if (old) await records.replace(old, { key: { ...key, id: 'r', hash: 'r' }, overlapMinutes: 1 })
      }),
  },
} satisfies {
  users: CallsOf<UserStore>
  cards: CallsOf<CardStore>
  cardDetachments: CallsOf<CardDetachmentStore>
  addresses: CallsOf<AddressStore>
  recipients: CallsOf<RecipientStore>
  keys: CallsOf<typeof keys>
  applications: CallsOf<ApplicationStore>
  accessKeys: CallsOf<AccessKeyStore>
  accessKeyRecords: CallsOf<AccessKeyRecordStore>
}

let database: Awaited<ReturnType<typeof openDatabase>>

beforeAll(async () => {
  database = await openDatabase('accounts')
  await database.pool.query(`
    insert into applications (id, name) values ('a', 'a');
    insert into users (api_key, email, password_hash, first_name, last_name, phone)
      select 'user' || n, 'user' || n || '@example.org', 'h', 'M', 'L', '1' from generate_series(1, ${ROWS}) n;
    insert into user_applications select api_key, 'a' from users;
    insert into cards (api_key, user_api_key, token, brand, last_four, cardholder_name, cardholder_street_address,
        cardholder_zip, expiration_month, expiration_year)
      select 'card' || n, 'user' || n, 'token' || n, 'visa', '4242', 'M', 's', 'z', '09', '39' from generate_series(1, ${ROWS}) n;
    insert into addresses (api_key, user_api_key, street_address, city, state, zip)
      select 'address' || n, 'user' || n, 's', 'c', 'WI', 'z' from generate_series(1, ${ROWS}) n;
    insert into access_keys (id, hash, kind, application_id)
      select 'key' || n, 'hash' || n, 'application', 'a' from generate_series(1, ${ROWS}) n;
    insert into idempotency_keys (access_key_id, path, key, fingerprint)
      select 'a', '/p', 'key' || n, 'f' from generate_series(1, ${ROWS}) n;
    analyze`)
})
afterAll(() => database.close())

test.each(namedCalls(calls))(
  '%s does not read the whole of a table that grows with users',
  async (_, call) => {
    const whole = await database.readsWhole(call)
    expect(whole.filter((table) => growing.includes(table))).toEqual([])
  },
)
