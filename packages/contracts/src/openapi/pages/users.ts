import { address, card, guest, newAddress, newCard, user } from '#/openapi/examples.ts'
import type { Pages } from '#/openapi/page.ts'

export const userPages: Pages = {
  'register-user': {
    description:
      'Makes an account, which your application may use from then on. An e-mail address has one account on the whole platform: when it is taken, sign the person in instead.',
    bodies: {
      'A new user': { email: 'maria@example.org', password: 'correct horse battery staple', ...guest },
    },
    answer: {
      description: 'The user, whose `apiKey` the other endpoints take.',
      example: { ...user, savedAddresses: [], creditCards: [] },
    },
  },
  signin: {
    description:
      'Finds a user by e-mail and password; your application may use the account from then on. A wrong password and an unknown e-mail get the same answer.',
    bodies: {
      'E-mail and password': { email: 'maria@example.org', password: 'correct horse battery staple' },
    },
    answer: { description: 'The user.', example: user },
  },
  user: {
    description: 'A user that registered or signed in through your application.',
    answer: { description: 'The user, with saved cards and addresses.', example: user },
  },
  'update-user': {
    description: 'Changes only the fields that are given.',
    bodies: {
      'A new phone number': { phone: '608-555-0177' },
      'A new password': { password: 'a longer horse battery staple' },
    },
    answer: { description: 'The user as it is now.', example: { ...user, phone: '608-555-0177' } },
  },
  'add-card': {
    description:
      'Saves a card for later orders, at most 20. Number and cvv go to the payment processor, which checks them, and are not stored. In development `4242424242424242` is good and `4000000000000002` is declined.',
    bodies: { 'A card': newCard },
    answer: { description: 'The saved card.', example: card },
  },
  'remove-card': {
    description:
      'No later order can be paid with the card; earlier ones go on showing it. No body is needed.',
    answer: { description: 'The card that was removed.', example: card },
  },
  'add-address': {
    description: 'Saves an address for later orders, at most 50.',
    bodies: { 'An address': newAddress },
    answer: { description: 'The saved address.', example: address },
  },
  'remove-address': {
    description:
      'No later order can be delivered to the address by its apiKey; earlier ones go on showing it. No body is needed.',
    answer: { description: 'The address that was removed.', example: address },
  },
}
