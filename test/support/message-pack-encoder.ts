/**
 * Encodes MessagePack according to the specification, independently of the product code. Every function
 * returns encoded bytes, and `encode` leaves encoded bytes unchanged, so a test can choose the form of a
 * single value.
 */
export function encode(value: unknown): Buffer {
  if (value === null || value === undefined) return Buffer.of(0xc0)
  if (Buffer.isBuffer(value)) return value
  if (typeof value === 'boolean') return Buffer.of(value ? 0xc3 : 0xc2)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? integer(BigInt(value)) : float64(value)
  if (typeof value === 'bigint') return integer(value)
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return array(value)
  return map(Object.entries(value as object))
}

interface Header {
  readonly lengthMax: number
  encode(length: number): Buffer
}

/** Encodes an integer in its shortest form. */
function integer(value: bigint): Buffer {
  const [form] = integerFormsOf(value)
  if (!form) throw new Error(`${value} has more than 64 bits.`)
  return integerAs(form, value)
}

const integerForms = [
  { form: 'fixint', min: 0n, max: 0x7fn },
  { form: 'negative fixint', min: -0x20n, max: -1n },
  { form: 'uint8', min: 0n, max: 0xffn },
  { form: 'uint16', min: 0n, max: 0xffffn },
  { form: 'uint32', min: 0n, max: 0xffff_ffffn },
  { form: 'uint64', min: 0n, max: 0xffff_ffff_ffff_ffffn },
  { form: 'int8', min: -0x80n, max: 0x7fn },
  { form: 'int16', min: -0x8000n, max: 0x7fffn },
  { form: 'int32', min: -0x8000_0000n, max: 0x7fff_ffffn },
  { form: 'int64', min: -0x8000_0000_0000_0000n, max: 0x7fff_ffff_ffff_ffffn },
] as const

export type IntegerForm = (typeof integerForms)[number]['form']

/** Returns the forms that can represent the value, the shortest first. */
export const integerFormsOf = (value: bigint): IntegerForm[] =>
  integerForms.filter(({ min, max }) => value >= min && value <= max).map(({ form }) => form)

type CountedForm = Exclude<IntegerForm, 'fixint' | 'negative fixint'>

const integerCodes: Readonly<Record<CountedForm, { readonly code: number; readonly size: number }>> = {
  uint8: { code: 0xcc, size: 1 },
  uint16: { code: 0xcd, size: 2 },
  uint32: { code: 0xce, size: 4 },
  uint64: { code: 0xcf, size: 8 },
  int8: { code: 0xd0, size: 1 },
  int16: { code: 0xd1, size: 2 },
  int32: { code: 0xd2, size: 4 },
  int64: { code: 0xd3, size: 8 },
}

export function integerAs(form: IntegerForm, value: bigint): Buffer {
  if (form === 'fixint' || form === 'negative fixint') return bigEndian(value, 1)
  const { code, size } = integerCodes[form]
  return Buffer.concat([Buffer.of(code), bigEndian(value, size)])
}

export function float32(value: number): Buffer {
  const bytes = Buffer.alloc(5, 0xca)
  bytes.writeFloatBE(value, 1)
  return bytes
}

export function float64(value: number): Buffer {
  const bytes = Buffer.alloc(9, 0xcb)
  bytes.writeDoubleBE(value, 1)
  return bytes
}

/** The length is part of the first byte. */
const fix = (code: number, lengthMax: number): Header => ({
  lengthMax,
  encode: (length) => Buffer.of(code | length),
})

/** The length follows the first byte, in `size` bytes. */
const counted = (code: number, size: number): Header => ({
  lengthMax: 2 ** (8 * size) - 1,
  encode: (length) => Buffer.concat([Buffer.of(code), bigEndian(BigInt(length), size)]),
})

/** Encodes a text of any bytes. `width` is the number of bytes of its length. 0 is fixstr. */
export const text = (value: string | Buffer, width?: 0 | 1 | 2 | 4): Buffer => {
  const bytes = Buffer.from(value)
  return Buffer.concat([header(textHeaders, bytes.length, width), bytes])
}

const textHeaders = { 0: fix(0xa0, 0x1f), 1: counted(0xd9, 1), 2: counted(0xda, 2), 4: counted(0xdb, 4) }

export const bin = (bytes: Uint8Array, width?: 1 | 2 | 4): Buffer =>
  Buffer.concat([header(binHeaders, bytes.length, width), bytes])

const binHeaders = { 1: counted(0xc4, 1), 2: counted(0xc5, 2), 4: counted(0xc6, 4) }

/** `claimed` is the number of items in the header, which may be wrong. */
export const array = (items: readonly unknown[], width?: 0 | 2 | 4, claimed = items.length): Buffer =>
  Buffer.concat([header(arrayHeaders, claimed, width), ...items.map(encode)])

const arrayHeaders = { 0: fix(0x90, 0x0f), 2: counted(0xdc, 2), 4: counted(0xdd, 4) }

/** Keys may be anything. */
export const map = (
  entries: readonly (readonly [key: unknown, value: unknown])[],
  width?: 0 | 2 | 4,
  claimed = entries.length,
): Buffer => Buffer.concat([header(mapHeaders, claimed, width), ...entries.flat().map(encode)])

const mapHeaders = { 0: fix(0x80, 0x0f), 2: counted(0xde, 2), 4: counted(0xdf, 4) }

/** Without `width`, uses the fixed form if there is one. */
export function extension(type: number, bytes: Uint8Array, width?: 1 | 2 | 4): Buffer {
  const fixed = [1, 2, 4, 8, 16].indexOf(bytes.length)
  const head =
    fixed >= 0 && width === undefined
      ? Buffer.of(0xd4 + fixed)
      : header(extensionHeaders, bytes.length, width)
  return Buffer.concat([head, bigEndian(BigInt(type), 1), bytes])
}

const extensionHeaders = { 1: counted(0xc7, 1), 2: counted(0xc8, 2), 4: counted(0xc9, 4) }

export function timestamp(bits: 32 | 64 | 96, seconds: bigint, nanoseconds = 0n): Buffer {
  if (bits === 32) return extension(-1, bigEndian(seconds, 4))
  if (bits === 64) return extension(-1, bigEndian((nanoseconds << 34n) | seconds, 8))
  return extension(-1, Buffer.concat([bigEndian(nanoseconds, 4), bigEndian(seconds, 8)]))
}

/** Encodes a timestamp in the shortest form that can represent it, as .NET clients do. */
export function instant(value: string): Buffer {
  const [whole = '', fraction = ''] = value.replace('Z', '').split('.')
  const seconds = BigInt(Date.parse(`${whole}Z`) / 1000)
  const nanoseconds = BigInt(fraction.padEnd(9, '0'))
  if (seconds < 0n || seconds >= 1n << 34n) return timestamp(96, seconds, nanoseconds)
  return timestamp(nanoseconds === 0n && seconds < 1n << 32n ? 32 : 64, seconds, nanoseconds)
}

function header(headers: Readonly<Record<number, Header>>, length: number, width?: number): Buffer {
  const candidates = width === undefined ? Object.values(headers) : [headers[width]]
  const found = candidates.find((candidate) => candidate && length <= candidate.lengthMax)
  if (!found) throw new Error(`No header can have a length of ${length}.`)
  return found.encode(length)
}

function bigEndian(value: bigint, size: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value))
  return bytes.subarray(8 - size)
}
