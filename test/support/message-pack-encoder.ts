/**
 * Encodes MessagePack, independently of the product code, according to the specification. Every function
 * returns encoded bytes, and `encode` leaves encoded bytes unchanged. So a test can choose the form of one
 * value, and encode the others with `encode`.
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

type Header = readonly [max: number, header: (length: number) => Buffer]

/** Encodes an integer in its shortest form. */
function integer(value: bigint): Buffer {
  const form = integerForms.find(([, min, max]) => value >= min && value <= max)
  if (!form) throw new Error(`${value} has more than 64 bits.`)
  return integerAs(form[0], value)
}

const integerForms = [
  ['fixint', 0n, 0x7fn],
  ['negative fixint', -0x20n, -1n],
  ['uint8', 0n, 0xffn],
  ['uint16', 0n, 0xffffn],
  ['uint32', 0n, 0xffff_ffffn],
  ['uint64', 0n, 0xffff_ffff_ffff_ffffn],
  ['int8', -0x80n, 0x7fn],
  ['int16', -0x8000n, 0x7fffn],
  ['int32', -0x8000_0000n, 0x7fff_ffffn],
  ['int64', -0x8000_0000_0000_0000n, 0x7fff_ffff_ffff_ffffn],
] as const

export type IntegerForm = (typeof integerForms)[number][0]

/** Returns the forms that can represent the value, the shortest first. */
export const integerFormsOf = (value: bigint): IntegerForm[] =>
  integerForms.filter(([, min, max]) => value >= min && value <= max).map(([name]) => name)

const integerCodes: Readonly<Record<Exclude<IntegerForm, 'fixint' | 'negative fixint'>, [number, number]>> = {
  uint8: [0xcc, 1],
  uint16: [0xcd, 2],
  uint32: [0xce, 4],
  uint64: [0xcf, 8],
  int8: [0xd0, 1],
  int16: [0xd1, 2],
  int32: [0xd2, 4],
  int64: [0xd3, 8],
}

export function integerAs(form: IntegerForm, value: bigint): Buffer {
  if (form === 'fixint' || form === 'negative fixint') return bigEndian(value, 1)
  const [code, size] = integerCodes[form]
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

const fix = (code: number, max: number): Header => [max, (length) => Buffer.of(code | length)]

const counted = (code: number, size: number): Header => [
  2 ** (8 * size) - 1,
  (length) => Buffer.concat([Buffer.of(code), bigEndian(BigInt(length), size)]),
]

/** Encodes a text of any bytes. `width` is the number of bytes of its length; 0 is fixstr. */
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
  const found = candidates.find((candidate) => candidate && length <= candidate[0])
  if (!found) throw new Error(`No header can have a length of ${length}.`)
  return found[1](length)
}

function bigEndian(value: bigint, size: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value))
  return bytes.subarray(8 - size)
}
