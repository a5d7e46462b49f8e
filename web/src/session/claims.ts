export type Claims = Readonly<Record<string, unknown>>

/** What a token says, unverified: for display and for choosing what to show, never for deciding what is allowed. */
export function claimsOf(token: string): Claims {
  const [, payload = ''] = token.split('.')
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
  return JSON.parse(new TextDecoder().decode(bytes))
}
