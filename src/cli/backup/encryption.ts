import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Transform, type TransformCallback } from 'node:stream'

/*
 * An encrypted backup begins with `magic` and a random salt; the key of the file is derived from both the key file and the
 * salt. Pieces of 64 KiB follow, each encrypted by AES-256-GCM. The nonce is the number of the piece and says whether it is
 * the last one, so pieces cannot be exchanged, and a truncated file is noticed (the STREAM construction).
 */
const magic = Buffer.from('tracker backup, encrypted 1\n')
const saltBytes = 32
const pieceBytes = 64 * 1024
const tagBytes = 16
/** The bytes in front of the pieces. */
export const startBytes = magic.length + saltBytes

export type BackupKey = Buffer

/** Reads a key that `openssl rand -hex 32` has written. */
export function readKeyFile(path: string): BackupKey {
  const text = readText(path).trim()
  if (!/^[\da-f]{64}$/i.test(text))
    throw new Error(
      `${path} must contain a key of 64 hexadecimal digits. Create one: openssl rand -hex 32 > ${path}`,
    )
  return Buffer.from(text, 'hex')
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`The key file cannot be read: ${(error as Error).message}.`, { cause: error })
  }
}

export function encrypt(key: BackupKey): Transform {
  const salt = randomBytes(saltBytes)
  const fileKey = deriveKey(key, salt)
  const stream = inPieces(pieceBytes, (piece, nonce) => {
    const cipher = createCipheriv('aes-256-gcm', fileKey, nonce)
    return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
  })
  stream.push(Buffer.concat([magic, salt]))
  return stream
}

/** Returns the salt if these first bytes of a file are those of an encrypted backup. */
export const saltIn = (start: Buffer): Buffer | undefined =>
  start.length === startBytes && start.subarray(0, magic.length).equals(magic)
    ? start.subarray(magic.length)
    : undefined

/** Decrypts everything after the first `startBytes`. */
export function decrypt(key: BackupKey, salt: Buffer): Transform {
  const fileKey = deriveKey(key, salt)
  return inPieces(pieceBytes + tagBytes, (piece, nonce) => {
    const decipher = createDecipheriv('aes-256-gcm', fileKey, nonce, { authTagLength: tagBytes })
    try {
      decipher.setAuthTag(piece.subarray(-tagBytes))
      return Buffer.concat([decipher.update(piece.subarray(0, -tagBytes)), decipher.final()])
    } catch {
      throw new Error('it was changed or truncated, or the key belongs to another backup')
    }
  })
}

const deriveKey = (key: BackupKey, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, 'tracker backup', 32))

/** Converts a stream in pieces of one size. The last piece may be smaller, and is empty if nothing is left for it. */
function inPieces(size: number, convert: (piece: Buffer, nonce: Buffer) => Buffer): Transform {
  let rest: Buffer = Buffer.alloc(0)
  let number = 0
  const converted = (piece: Buffer, isLast: boolean): Buffer => {
    const nonce = Buffer.alloc(12)
    nonce.writeUIntBE(number, 5, 6)
    nonce.writeUInt8(isLast ? 1 : 0, 11)
    number += 1
    return convert(piece, nonce)
  }
  const attempt = (done: TransformCallback, work: () => void) => {
    try {
      work()
      done()
    } catch (error) {
      done(error as Error)
    }
  }
  return new Transform({
    transform(bytes: Buffer, _encoding, done) {
      attempt(done, () => {
        rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
        // A full piece may be the last one, so it waits for the next byte.
        for (; rest.length > size; rest = rest.subarray(size))
          this.push(converted(rest.subarray(0, size), false))
      })
    },
    flush(done) {
      attempt(done, () => this.push(converted(rest, true)))
    },
  })
}
