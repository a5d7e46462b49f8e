import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import {
  type Content,
  type Encoding,
  formatTimestamp,
  type Message,
  type MessageField,
  parseTimestamp,
  type Scalar,
  UnreadableMessageError,
  type unreadable,
} from '../message.ts'

/**
 * Converts between protobuf bytes and content directly. A test compares all bytes with the reference library.
 */
export const protobuf: Encoding = {
  reader(message) {
    const read = readerOf(message)
    return (bytes) => {
      try {
        const reader = new BinaryReader(bytes)
        return read(reader, bytes.length, {})
      } catch {
        throw new UnreadableMessageError()
      }
    }
  },
  writer(message) {
    const write = writerOf(message)
    return (content) => {
      const writer = new BinaryWriter()
      write(writer, content)
      const bytes = writer.finish()
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    }
  },
}

type Draft = Record<string, unknown>
type ReadMessage = (reader: BinaryReader, end: number, into: Draft) => Draft
type WriteMessage = (writer: BinaryWriter, content: Content) => void

function readerOf({ fields }: Message): ReadMessage {
  const fieldsByNumber = new Map(
    fields.map((field) => [field.number, { name: field.name, ...fieldReaderOf(field) }]),
  )
  return (reader, end, into) => {
    while (reader.pos < end) {
      const [number, wireType] = reader.tag()
      const field = fieldsByNumber.get(number)
      if (field?.wireType === wireType) into[field.name] = field.read(reader, into[field.name])
      else reader.skip(wireType, number)
    }
    if (reader.pos !== end) throw new UnreadableMessageError()
    return into
  }
}

interface FieldReader {
  readonly wireType: WireType
  /** `before` is the value so far. A repeated message is merged into it, and a list grows. */
  read(reader: BinaryReader, before?: unknown): unknown
}

function fieldReaderOf({ shape, isRepeated }: MessageField): FieldReader {
  const valueReader = typeof shape === 'string' ? scalarReaders[shape] : messageReader(shape)
  return isRepeated ? { wireType: valueReader.wireType, read: readIntoList(valueReader.read) } : valueReader
}

function messageReader(message: Message): FieldReader {
  const read = readerOf(message)
  return {
    wireType: WireType.LengthDelimited,
    read: (reader, before) => read(reader, endOf(reader), (before as Draft | undefined) ?? {}),
  }
}

const readIntoList =
  (read: FieldReader['read']): FieldReader['read'] =>
  (reader, before) => {
    const items = (before as unknown[] | undefined) ?? []
    if (items.length === itemsMax) throw new UnreadableMessageError()
    items.push(read(reader))
    return items
  }

// A hundred times the longest valid list. A message could hold two million empty entries, which would take
// seconds to check.
const itemsMax = 10_000

const textReader: FieldReader = {
  wireType: WireType.LengthDelimited,
  read: (reader) => reader.string(true),
}

const scalarReaders: Readonly<Record<Scalar, FieldReader>> = {
  text: textReader,
  uuid: textReader,
  number: { wireType: WireType.Bit64, read: (reader) => reader.double() },
  integer: { wireType: WireType.Varint, read: (reader) => reader.int32() },
  boolean: { wireType: WireType.Varint, read: (reader) => reader.bool() },
  timestamp: { wireType: WireType.LengthDelimited, read: readTimestamp },
  values: { wireType: WireType.LengthDelimited, read: (reader) => readValues(reader, endOf(reader)) },
}

/** google.protobuf.Timestamp: seconds are field 1, nanoseconds field 2. */
function readTimestamp(reader: BinaryReader): string | typeof unreadable {
  const end = endOf(reader)
  let seconds = 0
  let nanoseconds = 0
  while (reader.pos < end) {
    const [number, wireType] = reader.tag()
    if (number === 1 && wireType === WireType.Varint) seconds = Number(reader.int64())
    else if (number === 2 && wireType === WireType.Varint) nanoseconds = reader.int32()
    else reader.skip(wireType, number)
  }
  if (reader.pos !== end) throw new UnreadableMessageError()
  return formatTimestamp({ seconds, nanoseconds })
}

function writerOf({ fields }: Message): WriteMessage {
  const fieldWriters = fields.map((field) => ({ name: field.name, write: fieldWriterOf(field) }))
  return (writer, content) => {
    for (const { name, write } of fieldWriters) {
      const value = content[name]
      if (value !== undefined && value !== null) write(writer, value)
    }
  }
}

type FieldWriter = (writer: BinaryWriter, value: unknown) => void

function fieldWriterOf({ number, shape, isRepeated, isOptional }: MessageField): FieldWriter {
  const write = typeof shape === 'string' ? scalarWriter(number, shape) : messageWriter(number, shape)
  if (isRepeated) {
    return (writer, items) => {
      for (const item of items as readonly unknown[]) write(writer, item)
    }
  }
  return (writer, value) => {
    if (isOptional || !isZero(value)) write(writer, value)
  }
}

const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false

function scalarWriter(number: number, shape: Scalar): FieldWriter {
  const { wireType } = scalarReaders[shape]
  const write = scalarWriters[shape]
  return (writer, value) => write(writer.tag(number, wireType), value)
}

function messageWriter(number: number, message: Message): FieldWriter {
  const write = writerOf(message)
  return (writer, value) => {
    writer.tag(number, WireType.LengthDelimited).fork()
    write(writer, value as Content)
    writer.join()
  }
}

const writeText: FieldWriter = (writer, value) => void writer.string(value as string)

const scalarWriters: Readonly<Record<Scalar, FieldWriter>> = {
  text: writeText,
  uuid: writeText,
  number: (writer, value) => void writer.double(value as number),
  integer: (writer, value) => void writer.int32(value as number),
  boolean: (writer, value) => void writer.bool(value as boolean),
  timestamp(writer, value) {
    const { seconds, nanoseconds } = parseTimestamp(value as string)
    writer.fork()
    if (seconds !== 0) writer.tag(1, WireType.Varint).int64(seconds)
    if (nanoseconds !== 0) writer.tag(2, WireType.Varint).int32(nanoseconds)
    writer.join()
  },
  values(writer, values) {
    writer.fork()
    writeValues(writer, values as PlainValues)
    writer.join()
  },
}

/** Fields by name, as in JSON: google.protobuf.Struct. */
type PlainValues = Readonly<Record<string, unknown>>

/** Field 1 of a Struct is an entry: its key is field 1, its Value field 2. */
function writeValues(writer: BinaryWriter, values: PlainValues): void {
  for (const [name, value] of Object.entries(values)) {
    writer.tag(1, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(name)
    writer.tag(2, WireType.LengthDelimited).fork()
    writeValue(writer, value)
    writer.join().join()
  }
}

/** A Value is one of: null 1, number 2, text 3, boolean 4. Rows contain no others. */
function writeValue(writer: BinaryWriter, value: unknown): void {
  if (typeof value === 'number') writer.tag(2, WireType.Bit64).double(value)
  else if (typeof value === 'string') writer.tag(3, WireType.LengthDelimited).string(value)
  else if (typeof value === 'boolean') writer.tag(4, WireType.Varint).bool(value)
  else writer.tag(1, WireType.Varint).int32(0)
}

function readValues(reader: BinaryReader, end: number): PlainValues {
  const values: Record<string, unknown> = {}
  const read = { [tagOf(1, WireType.LengthDelimited)]: () => readEntry(reader, endOf(reader)) }
  for (const entry of fieldsIn(reader, end, read)) {
    const [name, value] = entry as Entry
    // A plain assignment to `__proto__` would change the prototype instead of adding a property.
    Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return values
}

type Entry = readonly [name: string, value: unknown]

function readEntry(reader: BinaryReader, end: number): Entry {
  const read = {
    [tagOf(1, WireType.LengthDelimited)]: () => ({ name: reader.string(true) }),
    [tagOf(2, WireType.LengthDelimited)]: () => ({ value: readValue(reader, endOf(reader)) }),
  }
  const { name = '', value = null } = Object.assign({}, ...fieldsIn(reader, end, read))
  return [name, value]
}

function readValue(reader: BinaryReader, end: number): unknown {
  const read = {
    [tagOf(1, WireType.Varint)]: () => {
      reader.int32()
      return null
    },
    [tagOf(2, WireType.Bit64)]: () => reader.double(),
    [tagOf(3, WireType.LengthDelimited)]: () => reader.string(true),
    [tagOf(4, WireType.Varint)]: () => reader.bool(),
  }
  return [...fieldsIn(reader, end, read)].at(-1) ?? null
}

const tagOf = (number: number, wireType: WireType): number => number * 8 + wireType

/** Yields the known fields and skips all others. */
function* fieldsIn(
  reader: BinaryReader,
  end: number,
  known: Readonly<Record<number, () => unknown>>,
): Generator<unknown, void> {
  while (reader.pos < end) {
    const [number, wireType] = reader.tag()
    const read = known[tagOf(number, wireType)]
    if (read) yield read()
    else reader.skip(wireType, number)
  }
  if (reader.pos !== end) throw new UnreadableMessageError()
}

/** Reads the length of a message and returns its end. */
function endOf(reader: BinaryReader): number {
  const length = reader.uint32()
  const end = reader.pos + length
  if (end > reader.len) throw new UnreadableMessageError()
  return end
}
