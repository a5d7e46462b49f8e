import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { framed } from '../../../../test/support/lz4-encoder.ts'
import {
  array,
  bin,
  encode,
  extension,
  float32,
  float64,
  integerAs,
  integerFormsOf,
  map,
  text,
  timestamp,
} from '../../../../test/support/message-pack-encoder.ts'
import { resources } from '../../../resources/all.ts'
import { commandsOfEdition } from '../main.ts'
import { type Content, UnreadableMessageError, unreadable } from '../message.ts'
import { messagePack } from './message-pack.ts'

const commandNamed = (name: string) => {
  const command = commandsOfEdition('v1').find((candidate) => candidate.name === name)
  if (!command) throw new Error(`${name} is not a command.`)
  return command
}
const read = (name: string, body: unknown): Content =>
  messagePack.reader(commandNamed(name).request)(encode(body))
const assertUnreadable = (name: string, body: unknown) =>
  assert.throws(() => read(name, body), UnreadableMessageError)

const id = '8de21ef6-19a3-41ee-b4cd-ea3fae2e91c9'
const otherId = '81d2c3b4-a596-4788-99aa-bbccddeeff00'
const ascii = (value: string) => Buffer.from(value).toString('hex')

describe('a command of a .NET client', () => {
  it('is read from the bytes that such a client sends for one id', () => {
    const bytes = Buffer.from(`81a24964d924${ascii(id)}`, 'hex')
    assert.equal(bytes.length, 42)
    assert.deepEqual(read('GetProjectById', bytes), { id })
  })

  it('is read from the compressed bytes that such a client sends for a project', () => {
    const plain = Buffer.from(
      `84a24964d924${ascii(id)}a44e616d65af557064617465642050726f6a656374ae4f7267616e697a6174696f6e4964d924${ascii(otherId)}af457870656374656456657273696f6ed7ffbc1cbd006ac78df0`,
      'hex',
    )
    assert.equal(plain.length, 142)
    const bytes = framed(plain)
    assert.equal(bytes.subarray(0, 10).toString('hex'), '92d562cc8ec60000008f')
    assert.deepEqual(read('UpdateProject', bytes), {
      id,
      name: 'Updated Project',
      organizationId: otherId,
      expectedVersion: '2026-10-08T12:34:56.789Z',
    })
  })

  it('can have a timestamp of four bytes, or the zero of its .NET type if it is not set', () => {
    const version = (hex: string) => read('UpdateProject', { ExpectedVersion: Buffer.from(hex, 'hex') })
    assert.deepEqual(version('d6ff6ac6dd00'), { expectedVersion: '2026-10-08T00:00:00Z' })
    assert.deepEqual(version('c70cff00000000fffffff1886e0900'), { expectedVersion: undefined })
  })

  it('can have a Guid in each format of .NET, alone, in a list and in a filter', () => {
    const plain = id.replaceAll('-', '')
    const formats = [id, plain, `{${id}}`, `(${id})`]
    for (const guid of formats) {
      assert.deepEqual(read('GetProjectById', { Id: guid }), { id })
      const filters = { Ids: `${guid},${guid}`, OrganizationId: guid, Search: plain }
      assert.deepEqual(read('ListProjects', { Pagination: filters }), {
        pagination: { ids: `${id},${id}`, organizationId: id, search: plain },
      })
    }
    assert.deepEqual(read('RemoveProject', { Ids: formats }), { ids: formats.map(() => id) })
    for (const invalid of [`{${id})`, `{${plain}}`, `${plain}0`, id.replace('-', '')]) {
      assert.deepEqual(read('GetProjectById', { Id: invalid }), { id: invalid })
    }
  })

  it('can have the zero UUID', () => {
    const zero = '00000000-0000-0000-0000-000000000000'
    assert.deepEqual(read('CreateProject', { Id: zero, OrganizationId: zero }), {
      id: zero,
      organizationId: zero,
    })
    assert.deepEqual(read('RemoveProject', { Ids: [zero, id] }), { ids: [zero, id] })
  })

  it('can have nil for every field', () => {
    for (const { name, request } of commandsOfEdition('v1')) {
      const fields = request.fields.map((field) => field.name)
      const content = read(
        name,
        map(fields.map((field) => [field.charAt(0).toUpperCase() + field.slice(1), null])),
      )
      for (const field of fields) assert.equal(content[field] ?? null, null, `${name}.${field}`)
    }
  })

  it('may omit every key: required numbers are then zero', () => {
    for (const { name, entity, request } of commandsOfEdition('v1')) {
      const declared = resources.find(({ title }) => title === entity)?.fields ?? {}
      const expected = request.fields
        .filter(({ shape }) => shape === 'number' || shape === 'integer')
        .filter((field) => declared[field.name]?.presence === 'required')
        .map((field) => [field.name, 0])
      assert.deepEqual(read(name, {}), Object.fromEntries(expected), name)
    }
    assert.deepEqual(read('ListProjects', { Pagination: {} }), { pagination: {} })
  })

  it('must spell its keys exactly', () => {
    assert.deepEqual(read('GetProjectById', { id, ID: id, iD: id }), {})
  })

  it('may have unknown keys with values of every type and depth', () => {
    const nested = array([map([['a', array([map([[array([1]), extension(7, Buffer.alloc(3))]])])]])])
    const values = [
      ...[null, true, false, 0, -1, 300, -300, 2 ** 40, -(2 ** 40), 1.5, '', 'text', [], {}, nested],
      ...[float32(1), bin(Buffer.alloc(0)), bin(Buffer.alloc(300)), bin(Buffer.alloc(70_000))],
      ...['x'.repeat(31), 'x'.repeat(32), 'x'.repeat(300), 'x'.repeat(70_000)],
      ...[1, 2, 3, 4, 8, 12, 16, 17, 300, 70_000].map((length) => extension(5, Buffer.alloc(length))),
      ...[16, 70_000].flatMap((length) => [
        array(Array(length).fill(1)),
        map(Array.from({ length }, (_, index) => [index, null])),
      ]),
      timestamp(96, -1n, 1n),
    ]
    for (const value of values) {
      assert.deepEqual(read('GetProjectById', { Extra: value, Id: id }), { id })
      assert.deepEqual(read('GetProjectById', map([[value, value] as const, ['Id', id] as const])), { id })
    }
    let deep = encode(1)
    for (let depth = 0; depth < 10_000; depth++) deep = Buffer.concat([Buffer.of(0x91), deep])
    assert.deepEqual(read('GetProjectById', { Extra: deep, Id: id }), { id })
  })

  it('is rejected when nested lists claim more entries than its bytes can hold', () => {
    const claims = Buffer.from('dd003d0900', 'hex')
    assertUnreadable('GetProjectById', { Extra: Buffer.concat(Array(200).fill(claims)) })
  })

  it('may list no more ids than a message of the largest size can hold', () => {
    const zeros = (length: number) => array(Array(length).fill(0), 4)
    // A message has at most 4 MiB, and each id takes 38 bytes.
    assert.ok(Array.isArray(read('RemoveProject', { Ids: zeros(110_376) }).ids))
    assert.ok(read('RemoveProject', { Ids: zeros(110_377) }).ids === unreadable)
  })

  it('has the last value of a repeated key', () => {
    const twice = map([
      ['Id', otherId],
      ['Id', id],
    ])
    assert.deepEqual(read('GetProjectById', twice), { id })
  })

  it('may have an integer in any format that can hold it', () => {
    const numbers = [0n, 1n, -1n, 127n, -32n, 128n, -33n, 255n, 256n, -129n, 65_536n, -32_769n, 2n ** 32n]
    for (const number of [...numbers, -(2n ** 31n) - 1n, 2n ** 53n - 1n, -(2n ** 53n) + 1n]) {
      for (const form of integerFormsOf(number)) {
        const content = read('CreateWorkflow', { Order: integerAs(form, number) })
        assert.deepEqual(content, { order: Number(number) }, `${number} as ${form}`)
      }
    }
    assert.equal(read('CreateWorkflow', { Order: integerAs('uint64', 2n ** 64n - 1n) }).order, 2 ** 64)
    assert.equal(read('CreateWorkflow', { Order: integerAs('int64', -(2n ** 63n)) }).order, -(2 ** 63))
  })

  it('may have hours as an integer, in single precision or in double precision', () => {
    const hours = (value: unknown) => read('CreateAppointment', { AmountHours: value }).amountHours
    assert.deepEqual([8, 8.25, float32(0.5), float64(8), float64(0.01)].map(hours), [8, 8.25, 0.5, 8, 0.01])
  })

  it('may have text with its length in any format', () => {
    for (const width of [0, 1, 2, 4] as const) {
      assert.equal(read('CreateProject', { Name: text('Zoë 🚀', width) }).name, 'Zoë 🚀')
    }
    for (const length of [0, 31, 32, 255, 256, 65_535, 65_536]) {
      assert.equal(read('CreateProject', { Name: 'é'.repeat(length) }).name, 'é'.repeat(length))
    }
  })

  it('keeps a replacement character that the client has sent', () => {
    assert.equal(read('CreateProject', { Name: 'a \ufffd b' }).name, 'a \ufffd b')
  })

  it('is rejected when its text is not UTF-8', () => {
    for (const bytes of ['ff', 'c3', 'c0af', 'eda080', 'f4908080', '61e282']) {
      assertUnreadable('CreateProject', { Name: text(Buffer.from(bytes, 'hex')) })
    }
  })

  it('has `unreadable` in place of a value that no field can hold', () => {
    const unsupported = [bin(Buffer.of(1)), [1], { a: 1 }, extension(3, Buffer.of(1))]
    for (const value of unsupported) assert.equal(read('CreateProject', { Name: value }).name, unreadable)
    const broken = timestamp(64, 1n, 1_000_000_000n)
    assert.equal(read('CreateAppointment', { KeepDate: broken }).keepDate, unreadable)
  })

  it('is rejected unless it is exactly one map', () => {
    for (const body of [null, true, 1, 'text', [], [1], bin(Buffer.alloc(1)), timestamp(32, 0n)]) {
      assertUnreadable('GetProjectById', body)
    }
    assertUnreadable('GetProjectById', Buffer.alloc(0))
    assertUnreadable('GetProjectById', Buffer.of(0xc1))
    assertUnreadable('GetProjectById', Buffer.concat([encode({ Id: id }), Buffer.of(0xc0)]))
    assertUnreadable('ListProjects', { Pagination: 'all' })
  })
})
