import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decode } from '../../../../test/support/message-pack-decoder.ts'
import { encode, float64, instant } from '../../../../test/support/message-pack-encoder.ts'
import { capitalize } from '../../../model/field.ts'
import { resourcesOf } from '../../../resources/derived.ts'
import { commandsOfEdition } from '../main.ts'
import type { Content } from '../message.ts'
import { messagePack } from './message-pack.ts'

const commandNamed = (name: string) => {
  const command = commandsOfEdition('v1').find((candidate) => candidate.name === name)
  if (!command) throw new Error(`${name} is not a command.`)
  return command
}
const write = (name: string, content: Content): Buffer =>
  messagePack.writer(commandNamed(name).result)(content)

/** The fields of a record without values, so that a new field does not change the test. */
const nilFieldsOf = (name: string) =>
  Object.fromEntries(
    resourcesOf('v1').flatMap((resource) =>
      resource.name === name ? resource.columns.map((column) => [capitalize(column), null]) : [],
    ),
  )

const id = '8de21ef6-19a3-41ee-b4cd-ea3fae2e91c9'
const otherId = '81d2c3b4-a596-4788-99aa-bbccddeeff00'
const ascii = (value: string) => Buffer.from(value).toString('hex')

describe('a result for a .NET client', () => {
  it('has PascalCase keys, nil for absent values', () => {
    const project = {
      id,
      name: 'New pier',
      organizationId: otherId,
      createdAt: '2026-10-08T12:34:56.123456Z',
      updatedAt: null,
      deletedAt: null,
      active: true,
    }
    const record = {
      ...nilFieldsOf('project'),
      Id: id,
      Name: 'New pier',
      OrganizationId: otherId,
      CreatedAt: '2026-10-08T12:34:56.123456Z',
      UpdatedAt: null,
      DeletedAt: null,
      Active: true,
    }
    assert.deepEqual(decode(write('GetProjectById', { success: true, project })), {
      Success: true,
      Message: null,
      Project: record,
    })
    const page = { data: [project, project], totalCount: 2, pageNumber: 1, pageSize: 10, totalPages: 1 }
    assert.deepEqual(decode(write('ListProjects', { success: true, result: page })), {
      Success: true,
      Message: null,
      Result: { Data: [record, record], TotalCount: 2, PageNumber: 1, PageSize: 10 },
    })
    assert.deepEqual(decode(write('UpdateProject', { success: false, message: 'Gone.' })), {
      Success: false,
      Message: 'Gone.',
      Project: null,
    })
  })

  it('has timestamps and ids as .NET clients write them', () => {
    const bytesOf = (createdAt: string) =>
      write('GetWorkflowById', { success: true, workflow: { createdAt } })
    const assertHolds = (createdAt: string, hex: string) =>
      assert.ok(bytesOf(createdAt).includes(Buffer.from(hex, 'hex')), createdAt)
    assertHolds('2026-10-08T00:00:00Z', 'd6ff6ac6dd00')
    assertHolds('2026-10-08T12:34:56.789Z', 'd7ffbc1cbd006ac78df0')
    assertHolds('0001-01-01T00:00:00Z', 'c70cff00000000fffffff1886e0900')
    const bytes = write('GetProjectById', { success: true, project: { id } })
    assert.ok(bytes.includes(Buffer.from(`a24964d924${ascii(id)}`, 'hex')))
  })

  it('has timestamps in the shortest form', () => {
    for (const value of ['1970-01-01T00:00:00Z', '2106-02-07T06:28:15Z', '2106-02-07T06:28:16Z']) {
      const bytes = write('GetWorkflowById', { success: true, workflow: { createdAt: value } })
      assert.ok(bytes.includes(instant(value)), value)
    }
  })

  it('has whole hours as an integer and others as a double', () => {
    const bytesOf = (amountHours: number) =>
      write('GetAppointmentById', { success: true, appointment: { amountHours } })
    const key = encode('AmountHours')
    assert.ok(bytesOf(8).includes(Buffer.concat([key, Buffer.of(8)])))
    assert.ok(bytesOf(8.25).includes(Buffer.concat([key, float64(8.25)])))
  })

  it('holds text of any length and script', () => {
    for (const length of [0, 1, 31, 32, 63, 64, 65, 255, 256, 65_535, 65_536]) {
      for (const letter of ['x', 'é', '語', '🚀']) {
        const name = letter.repeat(length)
        const result = decode(write('GetImpedimentById', { success: true, impediment: { name } }))
        assert.equal((result as { Impediment: { Name: string } }).Impediment.Name, name)
      }
    }
  })

  it('holds lists of any length', () => {
    for (const length of [0, 15, 16, 100, 65_536]) {
      const result = { data: Array(length).fill({ id, name: 'x' }), totalCount: length }
      const { Result } = decode(write('ListImpediments', { success: true, result })) as {
        Result: { Data: unknown[]; TotalCount: number }
      }
      assert.deepEqual([Result.Data.length, Result.TotalCount], [length, length])
    }
  })

  it('is read by an independent decoder', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 })
    const timestamp = fc.tuple(seconds, fc.integer({ min: 0, max: 999_999 })).map(([whole, micro]) => {
      const fraction = micro === 0 ? '' : `.${String(micro).padStart(6, '0').replace(/0+$/, '')}`
      return `${new Date(whole * 1000).toISOString().slice(0, 19)}${fraction}Z`
    })
    const record = fc.record({
      id: fc.uuid(),
      description: fc.option(text),
      keepDate: timestamp,
      amountHours: fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true })),
      assignmentId: fc.uuid(),
      userId: fc.uuid(),
      createdAt: timestamp,
      updatedAt: fc.option(timestamp),
      deletedAt: fc.option(timestamp),
      active: fc.boolean(),
    })
    const page = fc.record({
      data: fc.array(record, { maxLength: 40 }),
      totalCount: fc.nat(),
      pageNumber: fc.nat(),
      pageSize: fc.nat(),
    })
    fc.assert(
      fc.property(page, (result) => {
        const bytes = write('ListAppointments', { success: true, result })
        assert.deepEqual(decode(bytes), pascalCased({ success: true, message: null, result }))
      }),
    )
  })
})

const pascalCased = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(pascalCased)
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key.charAt(0).toUpperCase() + key.slice(1),
      pascalCased(each),
    ]),
  )
}
