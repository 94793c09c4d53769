import { operations } from '@platter/contracts'
import { expect, test } from 'vitest'
import { methodsOf } from '#/methods.ts'

const methods = (name: string, all = operations) => {
  const operation = all.find((one) => one.name === name)
  if (!operation) throw new Error(`there is no operation ${name}`)
  return methodsOf(operation, all)
}

test('reading takes POST as well, and changing PUT and PATCH', () => {
  expect(methods('restaurant-search')).toEqual(['GET', 'POST'])
  expect(methods('send-order')).toEqual(['POST', 'PUT', 'PATCH'])
})

test('reading takes no POST where the path has one of its own', () => {
  const [reads] = operations.filter(({ name }) => name === 'user')
  if (!reads) throw new Error('there is no operation user')
  const all = [...operations, { ...reads, name: 'posted', method: 'POST' as const }]
  expect(methods('user', all)).toEqual(['GET'])
  expect(methods('posted', all)).toEqual(['POST', 'PUT', 'PATCH'])
})

test('restaurants and operators keep to the one method', () => {
  expect(methods('restaurant-orders')).toEqual(['GET'])
  expect(methods('report-status')).toEqual(['POST'])
  expect(methods('put-menu')).toEqual(['PUT'])
})
