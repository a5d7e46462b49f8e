/** Bytes that a file of a type has at an offset, as Latin-1 text. */
interface Signature {
  readonly type: string
  readonly bytes: string
  readonly at?: number
  /** A second piece, for containers that hold several types. */
  readonly andThen?: { readonly bytes: string; readonly at: number }
}

/** Every type that is recognized, except text. The first match counts. */
const signatures: readonly Signature[] = [
  { type: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { type: 'image/gif', bytes: 'GIF87a' },
  { type: 'image/gif', bytes: 'GIF89a' },
  { type: 'image/webp', bytes: 'RIFF', andThen: { bytes: 'WEBP', at: 8 } },
  { type: 'image/avif', bytes: 'ftypavif', at: 4 },
  { type: 'image/avif', bytes: 'ftypavis', at: 4 },
  { type: 'video/mp4', bytes: 'ftypisom', at: 4 },
  { type: 'video/mp4', bytes: 'ftypmp42', at: 4 },
  { type: 'audio/wav', bytes: 'RIFF', andThen: { bytes: 'WAVE', at: 8 } },
  { type: 'audio/mpeg', bytes: 'ID3' },
  { type: 'application/pdf', bytes: '%PDF-' },
  { type: 'application/zip', bytes: 'PK\x03\x04' },
  { type: 'application/gzip', bytes: '\x1f\x8b\x08' },
]

/** No signature extends beyond this number of bytes. */
const headBytes = 12

/**
 * Image types that cannot contain scripts. A script in an SVG or HTML file would run with the rights of the
 * user who opens the file.
 */
const inlineTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
])

export const isShownInline = (type: string): boolean => inlineTypes.has(type)

/**
 * Determines the type of a file from its bytes while they arrive, whatever its name and its content type say.
 */
export interface TypeDetector {
  add(piece: Buffer): void
  /** Called once, after the last piece. */
  end(): string
}

export function createTypeDetector(): TypeDetector {
  let head = Buffer.alloc(0)
  // Text is UTF-8 from the first to the last byte, without NUL.
  let isText = true
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const decodes = (piece?: Buffer) => {
    try {
      decoder.decode(piece, { stream: piece !== undefined })
      return true
    } catch {
      return false
    }
  }
  return {
    add(piece) {
      if (head.length < headBytes) head = Buffer.concat([head, piece.subarray(0, headBytes - head.length)])
      isText &&= !piece.includes(0) && decodes(piece)
    },
    end() {
      const latin1 = head.toString('latin1')
      const found = signatures.find(
        ({ bytes, at = 0, andThen }) =>
          latin1.startsWith(bytes, at) &&
          (andThen === undefined || latin1.startsWith(andThen.bytes, andThen.at)),
      )
      if (found) return found.type
      return isText && decodes() ? 'text/plain' : 'application/octet-stream'
    },
  }
}
