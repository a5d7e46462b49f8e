import { capitalize } from '../../../model/field.ts'
import { messageBytesMax } from '../call-error.ts'
import {
  type Content,
  type Encoding,
  formatTimestamp,
  type Message,
  type MessageField,
  parseTimestamp,
  type Scalar,
  UnreadableMessageError,
  unreadable,
} from '../message.ts'
import { decompress } from './decompress.ts'
import { type Extension, MessagePackReader, MessagePackWriter, type Token } from './message-pack-format.ts'

/** The encoding of the .NET clients: maps with PascalCase keys. Only requests may be compressed. */
export const messagePack: Encoding = {
  reader(message) {
    const read = readerOf(message)
    return (body) => {
      const reader = new MessagePackReader(decompress(body))
      const content = read(reader, reader.next())
      if (!reader.isAtEnd) throw new UnreadableMessageError()
      return content
    }
  },
  writer(message) {
    const write = writerOf(message)
    return (content) => {
      const writer = new MessagePackWriter()
      write(writer, content)
      return writer.finish()
    }
  },
}

type FieldReader = (reader: MessagePackReader, token: Token) => unknown

function readerOf({
  fields,
  rejectedNames = [],
}: Message): (reader: MessagePackReader, token: Token) => Content {
  const fieldsByKey = new Map([
    ...fields.map(
      (field) => [capitalize(field.name), { name: field.name, read: fieldReaderOf(field) }] as const,
    ),
    ...rejectedNames.map((name) => [capitalize(name), { name, read: readScalar }] as const),
  ])
  const defaults = Object.fromEntries(fields.flatMap(defaultOf))
  return (reader, token) => {
    if (token.kind !== 'map') throw new UnreadableMessageError()
    const content: Record<string, unknown> = { ...defaults }
    for (let entry = 0; entry < token.length; entry++) {
      const field = fieldsByKey.get(readKey(reader))
      const valueToken = reader.next()
      if (field) content[field.name] = field.read(reader, valueToken)
      else reader.skipRest(valueToken)
    }
    return content
  }
}

/** A key that is not a plain value matches no field. */
function readKey(reader: MessagePackReader): string {
  const token = reader.next()
  if (token.kind === 'value') return String(token.value)
  reader.skipRest(token)
  return ''
}

/** A missing number counts as zero if the property of the .NET class cannot be null. */
const defaultOf = ({ name, shape, isNeverNullForDotnet }: MessageField): [string, unknown][] => {
  const isNumber = shape === 'number' || shape === 'integer'
  return isNumber && isNeverNullForDotnet ? [[name, 0]] : []
}

function fieldReaderOf({ name, shape, isRepeated }: MessageField): FieldReader {
  if (isRepeated)
    return (reader, token) => readScalars(reader, token, shape === 'uuid' ? normalizeGuid : identity)
  // The filters of a list are declared as text, even the filters by id.
  if (shape === 'text' && /^ids?$|Id$/.test(name)) return readGuidList
  return typeof shape === 'string' ? scalarReaders[shape] : nullable(readerOf(shape))
}

/** Reads the items of a list. Anything else, and a list that is too long, is left for its field to reject. */
function readScalars(reader: MessagePackReader, token: Token, convert: (item: unknown) => unknown): unknown {
  if (token.kind !== 'array' || token.length > listItemsMax) return readScalar(reader, token)
  const items: unknown[] = []
  for (let item = 0; item < token.length; item++) items.push(convert(readScalar(reader, reader.next())))
  return items
}

/** A UUID takes 38 bytes, so a longer list in a message contains other values. */
const listItemsMax = Math.floor(messageBytesMax / 38)

const nullable =
  (read: FieldReader): FieldReader =>
  (reader, token) =>
    token.kind === 'value' && token.value === null ? undefined : read(reader, token)

/** Returns the value unchecked, because the parser of the field checks it later. */
function readScalar(reader: MessagePackReader, token: Token): unknown {
  if (token.kind === 'value') return token.value
  if (isTimestamp(token)) return decodeTimestamp(token.extension.bytes)
  reader.skipRest(token)
  return unreadable
}

const identity = (item: unknown): unknown => item

const readGuid: FieldReader = (reader, token) => normalizeGuid(readScalar(reader, token))

/** Reads one id, or several separated by commas. */
const readGuidList: FieldReader = (reader, token) => {
  const text = readScalar(reader, token)
  return typeof text === 'string' ? text.split(',').map(normalizeGuid).join(',') : text
}

/** The default of a .NET DateTime. It means that the property was not set. */
const unsetTimestamp = '0001-01-01T00:00:00Z'

const readTimestamp: FieldReader = (reader, token) => {
  const value = readScalar(reader, token)
  return value === unsetTimestamp ? undefined : value
}

const scalarReaders: Readonly<Record<Scalar, FieldReader>> = {
  text: readScalar,
  uuid: readGuid,
  timestamp: readTimestamp,
  number: readScalar,
  integer: readScalar,
  boolean: readScalar,
  // Only responses have such fields.
  values: readScalar,
}

type FieldWriter = (writer: MessagePackWriter, value: unknown) => void

function writerOf({ fields }: Message): (writer: MessagePackWriter, content: Content) => void {
  const fieldWriters = fields
    .filter(({ isOmittedForDotnet }) => !isOmittedForDotnet)
    .map((field) => ({ ...field, key: capitalize(field.name), write: fieldWriterOf(field) }))
  return (writer, content) => {
    writer.map(fieldWriters.length)
    for (const { key, name, write } of fieldWriters) {
      writer.text(key)
      const value = content[name]
      if (value === undefined || value === null) writer.nil()
      else write(writer, value)
    }
  }
}

function fieldWriterOf({ shape, isRepeated }: MessageField): FieldWriter {
  const write = typeof shape === 'string' ? scalarWriters[shape] : (writerOf(shape) as FieldWriter)
  if (!isRepeated) return write
  return (writer, value) => {
    const items = value as readonly unknown[]
    writer.array(items.length)
    for (const item of items) write(writer, item)
  }
}

/** Writes the values of a row, as in JSON. */
function writePlain(writer: MessagePackWriter, value: unknown): void {
  if (typeof value === 'number') writer.number(value)
  else if (typeof value === 'string') writer.text(value)
  else if (typeof value === 'boolean') writer.boolean(value)
  else writer.nil()
}

const writeText: FieldWriter = (writer, value) => writer.text(value as string)
const writeNumber: FieldWriter = (writer, value) => writer.number(value as number)

const scalarWriters: Readonly<Record<Scalar, FieldWriter>> = {
  text: writeText,
  uuid: writeText,
  number: writeNumber,
  integer: writeNumber,
  boolean: (writer, value) => writer.boolean(value as boolean),
  timestamp(writer, value) {
    const { seconds, nanoseconds } = parseTimestamp(value as string)
    writer.timestamp(seconds, nanoseconds)
  },
  values(writer, value) {
    const entries = Object.entries(value as Content)
    writer.map(entries.length)
    for (const [name, plain] of entries) {
      writer.text(name)
      writePlain(writer, plain)
    }
  },
}

/** The formats N, B and P of a Guid in .NET. */
const guidFormats = [
  /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i,
  /^\{([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\}$/i,
  /^\(([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})\)$/i,
]

/** Converts every format to the usual format D. Other texts are unchanged, and the field rejects them. */
function normalizeGuid(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  for (const form of guidFormats) {
    const parts = form.exec(text)
    if (parts) return parts.slice(1).join('-')
  }
  return value
}

/** MessagePack's own extension for timestamps. */
const timestampType = -1

export const isTimestamp = (token: Token): token is { kind: 'extension'; extension: Extension } =>
  token.kind === 'extension' && token.extension.type === timestampType

/** Decodes the 32, 64 or 96-bit form. */
export function decodeTimestamp(bytes: Uint8Array): string | typeof unreadable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length === 4) return formatTimestamp({ seconds: view.getUint32(0), nanoseconds: 0 })
  if (bytes.length === 8) {
    const packed = view.getBigUint64(0)
    return formatTimestamp({ seconds: Number(packed & 0x3_ffff_ffffn), nanoseconds: Number(packed >> 34n) })
  }
  if (bytes.length !== 12) throw new UnreadableMessageError()
  return formatTimestamp({ seconds: Number(view.getBigInt64(4)), nanoseconds: view.getUint32(0) })
}
