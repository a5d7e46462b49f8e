import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Authenticated encryption. Any change is detected, and data of one owner cannot be decrypted for another
 * owner.
 */
export interface SecretBox {
  /** `owner` is the id to which the data is bound, such as the id of a row or of an account. */
  seal(plain: Buffer, owner: string): Buffer
  /** Returns undefined unless this box sealed the data for this owner. */
  open(sealed: Buffer, owner: string): Buffer | undefined
}

const algorithm = 'aes-256-gcm'
const keyBytes = 32
/**
 * GCM specifies this length. Random nonces are safe for 2^32 encryptions with one key: 500 per second for 90
 * days.
 */
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts with AES-256-GCM. The key is derived for one purpose (HKDF, RFC 5869), so one secret can serve
 * several purposes.
 */
export function createSecretBox(secret: string | Buffer, purpose: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secret, 'tracker identity', purpose, keyBytes))
  return {
    seal(plain, owner) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(
        Buffer.from(owner),
      )
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, owner) {
      if (sealed.length < nonceBytes + tagBytes) return undefined
      const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-tagBytes))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}

/** Encrypts the stored keys of one purpose, each bound to its id. */
export const createKeyBox = (secret: string, purpose: string): SecretBox =>
  createSecretBox(secret, `${purpose} keys`)

/** Encrypts the secrets of authenticator apps, each bound to its account. */
export const createFactorBox = (secret: string): SecretBox => createSecretBox(secret, 'second factors')

/**
 * Someone who has a copy of the store could guess a shorter secret. The contract sets no minimum, so a start
 * with a shorter one only causes a warning.
 */
export const keySecretCharactersMin = 32

/** The secret that encrypts, and its predecessor until `secret rotate` has re-encrypted everything. */
export interface KeySecrets {
  readonly current: string
  readonly previous?: string | undefined
}

/** The box of the stored keys of one purpose, while the secret may be rotated. */
export const createRotatingKeyBox = (secrets: KeySecrets, purpose: string): SecretBox =>
  createRotatingBox(secrets, (secret) => createKeyBox(secret, purpose))

/** Encrypts with the current secret, and decrypts with both. */
export function createRotatingBox(
  { current, previous }: KeySecrets,
  createBox: (secret: string) => SecretBox,
): SecretBox {
  const box = createBox(current)
  if (previous === undefined) return box
  const previousBox = createBox(previous)
  return {
    seal: box.seal,
    open: (sealed, owner) => box.open(sealed, owner) ?? previousBox.open(sealed, owner),
  }
}
