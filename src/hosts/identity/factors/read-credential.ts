/** The longest has an RSA key and a chain of certificates that nobody asked for. */
const credentialCharactersMax = 10_000

/** As much of its shape as is relied on before the library looks at it; undefined for anything else. */
export function readCredential<Credential extends { readonly id: string; readonly response: object }>(
  text: string,
): Credential | undefined {
  if (text.length > credentialCharactersMax) return undefined
  const credential = parse(text) as Partial<Credential> | null | undefined
  const isUsable =
    typeof credential === 'object' &&
    typeof credential?.id === 'string' &&
    idPattern.test(credential.id) &&
    typeof credential.response === 'object' &&
    credential.response !== null &&
    Object.values(credential.response).every((value) => typeof value !== 'string' || value.length > 0)
  const handle = isUsable ? (credential.response as { userHandle?: unknown }).userHandle : undefined
  const isTextOrNone = handle === undefined || handle === null || typeof handle === 'string'
  return isUsable && isTextOrNone && !isFromFrame(credential.response)
    ? (credential as Credential)
    : undefined
}

/** Made in a frame that another site shows, where people do not see whom they answer (WebAuthn, 7.1 and 7.2). */
function isFromFrame(response: { clientDataJSON?: unknown } = {}): boolean {
  const { clientDataJSON } = response
  const data =
    typeof clientDataJSON === 'string'
      ? parse(Buffer.from(clientDataJSON, 'base64url').toString())
      : undefined
  return (data as { crossOrigin?: unknown } | null | undefined)?.crossOrigin === true
}

const idPattern = /^[\w-]{1,1364}$/

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
