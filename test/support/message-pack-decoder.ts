/** Decodes bytes that are exactly one MessagePack value. Timestamps become text. Other extensions are rejected. */
export function decode(bytes: Uint8Array): unknown {
  const source = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at: 0 }
  const value = read(source)
  if (source.at !== bytes.length) throw new Error(`${bytes.length - source.at} bytes are left over.`)
  return value
}

interface Source {
  readonly view: DataView
  at: number
}

function read(source: Source): unknown {
  const code = unsigned(source, 1)
  if (code < 0x80) return code
  if (code < 0x90) return entries(source, code - 0x80)
  if (code < 0xa0) return items(source, code - 0x90)
  if (code < 0xc0) return text(source, code - 0xa0)
  if (code >= 0xe0) return code - 0x100
  const reader = readers[code]
  if (!reader) throw new Error(`A response must not contain 0x${code.toString(16)}.`)
  return reader(source)
}

/** The readers of the formats that the first byte alone determines, by this byte. */
const readers: Readonly<Record<number, (source: Source) => unknown>> = {
  192: () => null,
  194: () => false,
  195: () => true,
  196: (source) => take(source, unsigned(source, 1)),
  197: (source) => take(source, unsigned(source, 2)),
  198: (source) => take(source, unsigned(source, 4)),
  199: (source) => timestamp(source, unsigned(source, 1)),
  202: (source) => view(take(source, 4)).getFloat32(0),
  203: (source) => view(take(source, 8)).getFloat64(0),
  204: (source) => unsigned(source, 1),
  205: (source) => unsigned(source, 2),
  206: (source) => unsigned(source, 4),
  207: (source) => Number(view(take(source, 8)).getBigUint64(0)),
  208: (source) => view(take(source, 1)).getInt8(0),
  209: (source) => view(take(source, 2)).getInt16(0),
  210: (source) => view(take(source, 4)).getInt32(0),
  211: (source) => Number(view(take(source, 8)).getBigInt64(0)),
  214: (source) => timestamp(source, 4),
  215: (source) => timestamp(source, 8),
  217: (source) => text(source, unsigned(source, 1)),
  218: (source) => text(source, unsigned(source, 2)),
  219: (source) => text(source, unsigned(source, 4)),
  220: (source) => items(source, unsigned(source, 2)),
  221: (source) => items(source, unsigned(source, 4)),
  222: (source) => entries(source, unsigned(source, 2)),
  223: (source) => entries(source, unsigned(source, 4)),
}

function take(source: Source, length: number): Uint8Array {
  const { view, at } = source
  if (at + length > view.byteLength) throw new Error('The bytes end too early.')
  source.at += length
  return new Uint8Array(view.buffer, view.byteOffset + at, length)
}

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

const unsigned = (source: Source, size: number): number =>
  take(source, size).reduce((number, byte) => number * 256 + byte, 0)

const text = (source: Source, length: number): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(take(source, length))

const items = (source: Source, length: number): unknown[] => Array.from({ length }, () => read(source))

const entries = (source: Source, length: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length }, () => [read(source) as string, read(source)]))

function timestamp(source: Source, length: number): string {
  const type = view(take(source, 1)).getInt8(0)
  if (type !== -1) throw new Error(`A response must not contain an extension of type ${type}.`)
  const bytes = view(take(source, length))
  if (length === 4) return formatTimestamp(BigInt(bytes.getUint32(0)), 0n)
  if (length === 12) return formatTimestamp(bytes.getBigInt64(4), BigInt(bytes.getUint32(0)))
  const packed = bytes.getBigUint64(0)
  return formatTimestamp(packed & 0x3_ffff_ffffn, packed >> 34n)
}

function formatTimestamp(seconds: bigint, nanoseconds: bigint): string {
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19)
  const fraction = nanoseconds === 0n ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`
  return `${whole}${fraction}Z`
}
