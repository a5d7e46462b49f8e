import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface SigningWish {
  readonly challenge: string
  readonly origin: string
  readonly domain?: string
  /** By default one more than before. */
  readonly counter?: number
  readonly isVerified?: boolean
  readonly userHandle?: string
  /** Whether the page was shown in a frame of another site. */
  readonly crossOrigin?: boolean
}

/** A passkey in software, which does whatever a test wants, even if a real one would not. */
export function createTestAuthenticator({ idBytes = 32, transports = ['internal'] as unknown } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(idBytes)
  let count = 0
  const authenticatorData = (
    { domain = 'localhost', counter, isVerified = true }: SigningWish,
    key?: Buffer,
  ) => {
    count = counter ?? count + 1
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (key ? 0x40 : 0)
    const head = Buffer.alloc(5)
    head.writeUInt8(flags)
    head.writeUInt32BE(count, 1)
    return Buffer.concat([createHash('sha256').update(domain).digest(), head, ...(key ? [key] : [])])
  }
  const clientData = (type: string, { challenge, origin, crossOrigin = false }: SigningWish) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))
  const credential = (response: object) =>
    JSON.stringify({
      id: id.toString('base64url'),
      rawId: id.toString('base64url'),
      type: 'public-key',
      clientExtensionResults: {},
      response,
    })
  return {
    id,
    create(wish: SigningWish): string {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const idLength = Buffer.alloc(2)
      idLength.writeUInt16BE(id.length)
      const key = Buffer.concat([Buffer.alloc(16), idLength, id, coseKey(x, y)])
      return credential({
        clientDataJSON: clientData('webauthn.create', wish).toString('base64url'),
        attestationObject: attestation(authenticatorData(wish, key)).toString('base64url'),
        transports,
      })
    },
    get(wish: SigningWish): string {
      const data = authenticatorData(wish)
      const client = clientData('webauthn.get', wish)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return credential({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        ...(wish.userHandle !== undefined && { userHandle: wish.userHandle }),
      })
    },
  }
}

/** CBOR of `{ fmt: "none", attStmt: {}, authData }`. */
function attestation(data: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length)
  return Buffer.concat([
    Buffer.from([0xa3, 0x63]),
    Buffer.from('fmt'),
    Buffer.from([0x64]),
    Buffer.from('none'),
    Buffer.from([0x67]),
    Buffer.from('attStmt'),
    Buffer.from([0xa0, 0x68]),
    Buffer.from('authData'),
    Buffer.from([0x59]),
    length,
    data,
  ])
}

/** COSE: an EC2 key for ES256 on P-256 (RFC 9053, 7.1.1). */
const coseKey = (x: string, y: string): Buffer =>
  Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    Buffer.from(x, 'base64url'),
    Buffer.from([0x22, 0x58, 0x20]),
    Buffer.from(y, 'base64url'),
  ])
