import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useServices } from '../../services/services.ts'
import { loadSignInWays, type SignInWays, signInAddress } from '../../session/outside-providers.ts'
import { t } from '../../texts/text.ts'
import { ProviderLink } from './provider-link.tsx'

/** The form for passwords, unless they are switched off, and the providers elsewhere. */
export function Ways({ authRequest, children }: { authRequest: string; children: ComponentChildren }) {
  const { configuration } = useServices()
  const [ways, setWays] = useState<SignInWays>()
  useEffect(() => {
    loadSignInWays(configuration).then(setWays, () => undefined)
  }, [configuration])
  return (
    <>
      {/* There at once: most people type while the list is on its way. */}
      {ways?.passwords !== false && children}
      {ways?.passwords === false && (
        <p class="form-note">{t('Sign in with an account that you have elsewhere.')}</p>
      )}
      {ways?.providers.map(({ id, name }) => (
        // A link, because browsers apply the page's policy for forms to what a post is led on to.
        <ProviderLink key={id} class="button wide" href={signInAddress(configuration, id, authRequest)}>
          {t('Sign in with {name}', { name })}
        </ProviderLink>
      ))}
    </>
  )
}
