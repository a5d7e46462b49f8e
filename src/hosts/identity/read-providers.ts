import type { Settings } from '../../config/settings.ts'
import { uuidPattern } from '../../model/field-kinds.ts'
import type { ProviderSettings } from './values/settings.ts'

/** More buttons than these find no room on a page. */
const providersMax = 10
const nameCharactersMax = 100
/** It is part of addresses. */
const idPattern = /^[a-z\d][\w-]{0,39}$/i

/** `Identity__Providers__{id}__…` */
export function readProviders(settings: Settings): readonly ProviderSettings[] {
  const ids = settings.ids('Identity__Providers')
  if (ids.length > providersMax)
    settings.reject(`Identity__Providers can have at most ${providersMax} of them.`)
  // Paths are read without regard to capitals, and each provider has one of its own.
  if (new Set(ids.map((id) => id.toLowerCase())).size < ids.length)
    settings.reject('Identity__Providers must have ids that differ in more than capitals.')
  return ids.map((id) => readProvider(settings, id))
}

function readProvider(settings: Settings, id: string): ProviderSettings {
  const name = `Identity__Providers__${id}`
  if (!idPattern.test(id)) settings.reject(`${name} must be named with at most 40 letters, digits, - and _.`)
  const shownName = settings.of('Identity__Providers__{id}__Name', id) ?? id
  if (shownName.length > nameCharactersMax)
    settings.reject(`${name}__Name must have at most ${nameCharactersMax} characters.`)
  const clientId = settings.of('Identity__Providers__{id}__ClientId', id)
  if (clientId === '') settings.reject(`${name}__ClientId is required: what the provider calls this service.`)
  const linkByVerifiedEmail = settings.of('Identity__Providers__{id}__LinkByVerifiedEmail', id)
  const createAccounts = settings.of('Identity__Providers__{id}__CreateAccounts', id)
  return {
    id,
    name: shownName,
    issuer: readIssuer(settings, id),
    clientId,
    clientSecret: settings.of('Identity__Providers__{id}__ClientSecret', id),
    linkByVerifiedEmail,
    createAccounts,
    defaultProject: readProject(settings, id, createAccounts),
    trustsAddresses: settings.of('Identity__Providers__{id}__TrustAddresses', id),
  }
}

const issuerCharactersMax = 500

function readIssuer(settings: Settings, id: string): string {
  const issuer = settings.of('Identity__Providers__{id}__Issuer', id)
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isFit =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    !issuer.includes('/.well-known/') &&
    issuer.length <= issuerCharactersMax
  if (!isFit)
    settings.reject(
      `Identity__Providers__${id}__Issuer must be the address of an OpenID Connect provider, as its discovery document has it in issuer.`,
    )
  return issuer
}

function readProject(settings: Settings, id: string, createAccounts: boolean): string | undefined {
  const name = `Identity__Providers__${id}__DefaultProject`
  const project = settings.of('Identity__Providers__{id}__DefaultProject', id)
  if (project !== undefined && !uuidPattern.test(project))
    settings.reject(`${name} must be the id of a project.`)
  if (project !== undefined && !createAccounts)
    settings.reject(`${name} is for accounts that are made: set CreateAccounts, too.`)
  return project?.toLowerCase()
}
