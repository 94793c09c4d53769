import { operations } from '@platter/contracts'
import { expect, test } from 'vitest'
import { methodsOf } from '#/methods.ts'

const methods = (name: string, all = operations) => {
  const operation = all.find((one) => one.name === name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  return methodsOf(operation, all)
}

test('reads of applications also accept POST, and their writes also accept PUT and PATCH', () => {
  expect(methods('restaurant-search')).toEqual(['GET', 'POST'])
  expect(methods('send-order')).toEqual(['POST', 'PUT', 'PATCH'])
})

test('a read does not accept POST when its path has an operation with POST', () => {
  const [reads] = operations.filter(({ name }) => name === 'user')
  if (!reads) throw new Error('there is no operation user')
  const all = [...operations, { ...reads, name: 'posted', method: 'POST' as const }]
  expect(methods('user', all)).toEqual(['GET'])
  expect(methods('posted', all)).toEqual(['POST', 'PUT', 'PATCH'])
})

test('operations of restaurants and operators accept one method', () => {
  expect(methods('restaurant-orders')).toEqual(['GET'])
  expect(methods('report-status')).toEqual(['POST'])
  expect(methods('put-menu')).toEqual(['PUT'])
})
