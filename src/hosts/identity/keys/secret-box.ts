import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts so that any change is noticed; what was sealed for one place cannot be opened for another. */
export interface SecretBox {
  /** `place` is what the result belongs to, such as a row's id. */
  seal(plain: Buffer, place: string): Buffer
  /** Undefined unless this very box sealed it for this place. */
  open(sealed: Buffer, place: string): Buffer | undefined
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
/** What GCM is specified for; random ones are safe for 2^32 seals under one key, 500 a second for 90 days. */
const nonceBytes = 12
const tagBytes = 16

/** AES-256-GCM under a key derived for one purpose only (HKDF, RFC 5869), so that one secret can serve several. */
export function createSecretBox(secret: string | Buffer, purpose: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secret, 'tracker identity', purpose, keyBytes))
  return {
    seal(plain, place) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(
        Buffer.from(place),
      )
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, place) {
      if (sealed.length < nonceBytes + tagBytes) return undefined
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-tagBytes))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}
