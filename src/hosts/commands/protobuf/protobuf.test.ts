import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { create, createFileRegistry, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import {
  FileDescriptorSetSchema,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { commandsOfEdition } from '../main.ts'
import {
  type Content,
  type Message,
  type MessageField,
  packages,
  parseTimestamp,
  UnreadableMessageError,
  unreadable,
} from '../message.ts'
import { fileDescriptor, messagesIn } from './descriptors.ts'
import { protobuf } from './protobuf.ts'

const [v1, ext] = [commandsOfEdition('v1'), commandsOfEdition('ext')]
const registry = createFileRegistry(
  create(FileDescriptorSetSchema, {
    file: [
      file_google_protobuf_field_mask.proto,
      file_google_protobuf_struct.proto,
      file_google_protobuf_timestamp.proto,
      fileDescriptor('v1', v1),
      fileDescriptor('ext', ext),
    ],
  }),
)
const messages = messagesIn([...ext, ...v1])
const referenceOf = ({ name }: Message) =>
  (registry.getMessage(`${packages.v1.name}.${name}`) ??
    registry.getMessage(`${packages.ext.name}.${name}`)) as DescMessage
const messageNamed = (name: string) => messages.find((message) => message.name === name) as Message

describe('The protobuf encoding', () => {
  for (const message of messages) {
    const reference = referenceOf(message)
    const read = protobuf.reader(message)
    const write = protobuf.writer(message)

    test(`writes a ${message.name} like the reference library`, () => {
      fc.assert(
        fc.property(contentOf(message), (content) => {
          const bytes = toBinary(reference, create(reference, initOf(message, content)))
          assert.deepEqual(write(content), Buffer.from(bytes))
          assert.deepEqual(read(bytes), withoutZeros(message, content))
        }),
        { numRuns: 30 },
      )
    })

    test(`reads any bytes as a ${message.name}, or rejects them`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
          try {
            read(bytes)
          } catch (error) {
            assert.ok(error instanceof UnreadableMessageError)
          }
        }),
        { numRuns: 50 },
      )
    })
  }

  const assignment = messageNamed('CreateAssignmentCommand')
  const valid = protobuf.writer(assignment)({
    name: 'Dig',
    startDate: '2026-03-01T00:00:00.25Z',
    amountHours: 1.5,
  })

  test('rejects a message that is cut off within a field', () => {
    const reference = referenceOf(assignment)
    for (let length = 0; length < valid.length; length++) {
      const cut = valid.subarray(0, length)
      const isReadable = !throws(() => fromBinary(reference, cut))
      assert.equal(!throws(() => protobuf.reader(assignment)(cut)), isReadable, `${length} bytes`)
    }
  })

  test('skips unknown fields of every kind', () => {
    const writer = new BinaryWriter()
    writer.tag(900, WireType.Varint).uint64('18446744073709551615')
    writer.tag(901, WireType.Bit64).double(1.5)
    writer.tag(902, WireType.Bit32).float(1.5)
    writer.tag(903, WireType.LengthDelimited).string('anything')
    writer.tag(904, WireType.StartGroup).tag(1, WireType.Varint).uint32(7).tag(904, WireType.EndGroup)
    const read = protobuf.reader(assignment)
    assert.deepEqual(read(Buffer.concat([writer.finish(), valid])), read(valid))
  })

  test('skips a field with the wrong wire type', () => {
    const bytes = new BinaryWriter().tag(2, WireType.Varint).uint32(7).finish()
    assert.deepEqual(protobuf.reader(assignment)(bytes), {})
  })

  test('leaves an invalid timestamp for its field to reject', () => {
    for (const [seconds, nanos] of [
      ['253402300800', 0],
      ['-62135596801', 0],
      ['0', -1],
      ['0', 1_000_000_000],
      ['9223372036854775807', 0],
    ] as const) {
      const writer = new BinaryWriter().tag(4, WireType.LengthDelimited).fork()
      writer.tag(1, WireType.Varint).int64(seconds).tag(2, WireType.Varint).int32(nanos)
      const { startDate } = protobuf.reader(assignment)(writer.join().finish())
      assert.equal(startDate, unreadable)
    }
  })

  test('rejects text that is not UTF-8', () => {
    const bytes = new BinaryWriter()
      .tag(2, WireType.LengthDelimited)
      .bytes(Buffer.from([0xff, 0xfe]))
      .finish()
    assert.ok(throws(() => protobuf.reader(assignment)(bytes)))
  })
})

const throws = (run: () => unknown): boolean => {
  try {
    run()
    return false
  } catch {
    return true
  }
}

/** Any content of a message, with or without each optional field. */
function contentOf({ fields }: Message): fc.Arbitrary<Content> {
  const arbitraries = fields.map((field): [string, fc.Arbitrary<unknown>] => [field.name, anyValueOf(field)])
  const requiredKeys = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
  return fc.record(Object.fromEntries(arbitraries), { requiredKeys }) as fc.Arbitrary<Content>
}

function anyValueOf({ shape, isRepeated }: MessageField): fc.Arbitrary<unknown> {
  const value: fc.Arbitrary<unknown> = typeof shape === 'string' ? scalars[shape] : contentOf(shape)
  return isRepeated ? fc.array(value, { maxLength: 3 }) : value
}

const scalars = {
  text: fc.string({ unit: 'grapheme' }),
  uuid: fc.uuid(),
  number: fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0)),
  integer: fc.integer(),
  boolean: fc.boolean(),
  values: fc.dictionary(
    fc.stringMatching(/^[a-zA-Z_]{0,8}$/),
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0)),
    ),
    { noNullPrototype: true },
  ),
  timestamp: fc
    .tuple(
      fc.date({
        min: new Date(-62_135_596_800_000),
        max: new Date(253_402_300_799_000),
        noInvalidDate: true,
      }),
      fc.integer({ min: 0, max: 999_999 }),
    )
    .map(([date, microseconds]) => {
      const fraction = String(microseconds).padStart(6, '0').replace(/0+$/, '')
      return `${date.toISOString().slice(0, 19)}${fraction && '.'}${fraction}Z`
    }),
}

/** Converts content to the form that the reference library expects. */
function initOf({ fields }: Message, content: Content): Record<string, unknown> {
  const presentFields = fields.filter(({ name }) => content[name] !== undefined)
  return Object.fromEntries(presentFields.map((field) => [field.name, initValue(field, content[field.name])]))
}

function initValue({ shape, isRepeated }: MessageField, value: unknown): unknown {
  if (isRepeated) return (value as unknown[]).map((item) => initValue({ shape } as MessageField, item))
  if (typeof shape !== 'string') return initOf(shape, value as Content)
  if (shape !== 'timestamp') return value
  const { seconds, nanoseconds } = parseTimestamp(value as string)
  return { seconds: BigInt(seconds), nanos: nanoseconds }
}

/** Leaves out what is not encoded: empty lists, and the zeros of fields that are always present. */
function withoutZeros({ fields }: Message, content: Content): Content {
  return Object.fromEntries(
    fields.flatMap(({ name, shape, isRepeated, isOptional }) => {
      const value = content[name]
      const isZero = isRepeated ? (value as unknown[]).length === 0 : ['', 0, false].includes(value as never)
      if (value === undefined || (isZero && !isOptional)) return []
      const decoded = (item: unknown) =>
        typeof shape === 'string' ? item : withoutZeros(shape, item as Content)
      return [[name, isRepeated ? (value as unknown[]).map(decoded) : decoded(value)]]
    }),
  )
}
