import { UnreadableMessage, type unreadable } from '../message.ts'
import { momentOf } from '../moment-parts.ts'
import type { Extension, Token } from './message-pack-reader.ts'

/** MessagePack's own extension for moments. */
const timestampType = -1

export const isTimestamp = (token: Token): token is { kind: 'extension'; extension: Extension } =>
  token.kind === 'extension' && token.extension.type === timestampType

/** In its 32, 64 or 96-bit form. */
export function timestampIn(bytes: Uint8Array): string | typeof unreadable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length === 4) return momentOf({ seconds: view.getUint32(0), nanoseconds: 0 })
  if (bytes.length === 8) {
    const packed = view.getBigUint64(0)
    return momentOf({ seconds: Number(packed & 0x3_ffff_ffffn), nanoseconds: Number(packed >> 34n) })
  }
  if (bytes.length !== 12) throw new UnreadableMessage()
  return momentOf({ seconds: Number(view.getBigInt64(4)), nanoseconds: view.getUint32(0) })
}
