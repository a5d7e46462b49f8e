import type { Identity } from '../identity.ts'
import type { ProviderLink } from '../pages/sign-in.ts'
import type { Endpoint } from '../route.ts'
import { onThisHost } from '../sign-in/addresses.ts'
import { startPath } from './paths.ts'

/** The buttons of a sign-in page. */
export const providerLinks = (
  { settings, providers }: Pick<Identity, 'settings' | 'providers'>,
  authRequest: string,
): readonly ProviderLink[] =>
  [...providers.values()].map(({ id, name }) => ({
    name,
    address: onThisHost(settings, startPath, { provider: id, authRequest }),
  }))

/** Nothing in it changes while the host runs. */
const maxAgeSeconds = 5 * 60

/** For sign-in pages elsewhere: by whom people may sign in, and whether by password. */
export const listProviders = ({ settings, providers }: Identity): Endpoint => {
  const body = {
    passwords: settings.passwords,
    providers: [...providers.values()].map(({ id, name }) => ({ id, name })),
  }
  return async () => ({ body, maxAgeSeconds })
}
