import { type BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { UnreadableMessage } from '../message.ts'

/** Fields by name, as JSON has them: google.protobuf.Struct. */
export type PlainValues = Readonly<Record<string, unknown>>

/** Field 1 of a Struct is an entry: its key is field 1, its Value field 2. */
export function writeValues(writer: BinaryWriter, values: PlainValues): void {
  for (const [name, value] of Object.entries(values)) {
    writer.tag(1, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(name)
    writer.tag(2, WireType.LengthDelimited).fork()
    writeValue(writer, value)
    writer.join().join()
  }
}

/** A Value is one of: null 1, number 2, text 3, flag 4. What rows hold is none of the others. */
function writeValue(writer: BinaryWriter, value: unknown): void {
  if (typeof value === 'number') writer.tag(2, WireType.Bit64).double(value)
  else if (typeof value === 'string') writer.tag(3, WireType.LengthDelimited).string(value)
  else if (typeof value === 'boolean') writer.tag(4, WireType.Varint).bool(value)
  else writer.tag(1, WireType.Varint).int32(0)
}

export function readValues(reader: BinaryReader, end: number): PlainValues {
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

/** What was read of the fields that are known; every other one is passed over. */
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
  if (reader.pos !== end) throw new UnreadableMessage()
}

/** Of the message that begins here. */
export function endOf(reader: BinaryReader): number {
  const length = reader.uint32()
  const end = reader.pos + length
  if (end > reader.len) throw new UnreadableMessage()
  return end
}
