import { randomBytes } from 'node:crypto'
import type { KeyKind, KeyRing } from './key-ring.ts'
import { createSecretBox, type SecretBox } from './secret-box.ts'

/** Encrypts values that pass through a browser. The browser cannot read, change or exchange them. */
export interface Seals {
  seal(purpose: SealPurpose, value: object, expiresAt: number): string
  /** Returns undefined if the text has expired, was changed, or was sealed for another purpose. */
  open<Value>(purpose: SealPurpose, text: string): Promise<Value | undefined>
}

/**
 * Each purpose has its own key, derived from its name. Renaming one would invalidate the values that browsers
 * hold.
 */
const purposes = [
  'cookie',
  'authRequest',
  'logoutId',
  'errorId',
  'signInStep',
  'appOffer',
  'passkeyChallenge',
  'outsideAttempt',
  'outsideIdentity',
  'outsideToken',
  'outsideReturn',
] as const

type SealPurpose = (typeof purposes)[number]

interface ProtectionKey {
  readonly id: string
  readonly boxes: Readonly<Record<SealPurpose, SecretBox>>
}

export const protectionKeyKind: KeyKind<ProtectionKey> = {
  purpose: 'protection',
  generate: async () => randomBytes(32),
  load: (id, secret) => ({
    id,
    boxes: Object.fromEntries(
      purposes.map((purpose) => [purpose, createSecretBox(secret, purpose)]),
    ) as Record<SealPurpose, SecretBox>,
  }),
}

/** A sealed text consists of the key's id and the encrypted data. */
export function createSeals(keys: KeyRing<ProtectionKey>, now: () => number): Seals {
  return {
    seal(purpose, value, expiresAt) {
      const { id, boxes } = keys.current()
      const sealed = boxes[purpose].seal(Buffer.from(JSON.stringify({ value, expiresAt })), id)
      return `${id}.${sealed.toString('base64url')}`
    },
    async open<Value>(purpose: SealPurpose, text: string) {
      const [, id = '', sealed = ''] = sealPattern.exec(text) ?? []
      const key = id === '' ? undefined : await keys.find(id)
      const plain = key?.boxes[purpose].open(Buffer.from(sealed, 'base64url'), id)
      if (!plain) return undefined
      const { value, expiresAt } = JSON.parse(plain.toString()) as { value: Value; expiresAt: number }
      return now() < expiresAt ? value : undefined
    },
  }
}

const sealPattern = /^([\w-]{22})\.([\w-]+)$/
