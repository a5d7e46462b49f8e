import type { SigningAlgorithm } from '../../authentication/access-token.ts'
import type { Settings } from '../../configuration/settings.ts'
import {
  clientNameCharactersMax,
  clientScopes,
  clientScopesByDefault,
  mayReturnTo,
} from '../../model/registered-client.ts'
import { webClientId } from '../../model/web-client.ts'
import type { RegisteredClientSettings } from './clients.ts'

/** The same least length as for service clients: a shorter one could be guessed. */
export const secretCharactersMin = 32

/** Clients that sign people in: `Identity__Clients__{id}__…`. */
export function readRegisteredClients(
  settings: Settings,
  serviceClientIds: readonly string[],
): readonly RegisteredClientSettings[] {
  return settings.ids('Identity__Clients').map((id) => {
    const name = `Identity__Clients__${id}`
    if (id === webClientId || serviceClientIds.includes(id))
      settings.reject(`${name} has the id of another client.`)
    const signingAlgorithm = settings.of('Identity__Clients__{id}__SigningAlgorithm', id)
    checkSigningAlgorithm(settings, name, signingAlgorithm)
    const proof = readProof(settings, id)
    const redirectUris = readAddresses(settings, id, 'RedirectUris')
    if (redirectUris.length === 0) settings.reject(`${name}__RedirectUris__0 is required.`)
    return {
      id,
      name: readName(settings, id),
      ...proof,
      scopes: readScopes(settings, id),
      signingAlgorithm,
      redirectUris,
      postLogoutRedirectUris: readAddresses(settings, id, 'PostLogoutRedirectUris'),
      isFirstParty: settings.of('Identity__Clients__{id}__FirstParty', id),
    }
  })
}

/** How it shows that a code is its own. */
function readProof(settings: Settings, id: string) {
  const secret = settings.of('Identity__Clients__{id}__Secret', id)
  if (secret !== undefined && secret.length < secretCharactersMin)
    settings.reject(`Identity__Clients__${id}__Secret must have at least ${secretCharactersMin} characters.`)
  const requiresPkce = settings.of('Identity__Clients__{id}__RequirePkce', id)
  if (!requiresPkce && secret === undefined)
    settings.reject(`Identity__Clients__${id}__RequirePkce must be true for a client without a secret.`)
  return { secret, requiresPkce }
}

/** `name` is that of a client of either kind. */
export function checkSigningAlgorithm(settings: Settings, name: string, algorithm: SigningAlgorithm): void {
  if (algorithm !== 'RS256' && !settings.get('EXTENSIONS'))
    settings.reject(`${name}__SigningAlgorithm needs the extensions: leave it out, or set EXTENSIONS to on.`)
}

function readName(settings: Settings, id: string): string {
  const shown = settings.of('Identity__Clients__{id}__Name', id) ?? id
  if (shown.length > clientNameCharactersMax)
    settings.reject(`Identity__Clients__${id}__Name must have at most ${clientNameCharactersMax} characters.`)
  return shown
}

function readScopes(settings: Settings, id: string): readonly string[] {
  const given = settings.of('Identity__Clients__{id}__Scopes', id)
  for (const scope of given.filter((scope) => !clientScopes.includes(scope)))
    settings.reject(
      `Identity__Clients__${id}__Scopes has ${scope}; a client can have ${clientScopes.join(', ')}.`,
    )
  return given.length > 0 ? given : clientScopesByDefault
}

/** Kept letter for letter, because they are compared so. */
function readAddresses(
  settings: Settings,
  id: string,
  kind: 'RedirectUris' | 'PostLogoutRedirectUris',
): readonly string[] {
  return settings.of(`Identity__Clients__{id}__${kind}`, id).filter((address) => {
    const isFit = mayReturnTo(address)
    if (!isFit)
      settings.reject(
        `Identity__Clients__${id}__${kind} has ${address}; it must be an http or https address, or one of an app such as com.example.app:/callback, without a fragment, a user name or white space.`,
      )
    return isFit
  })
}
