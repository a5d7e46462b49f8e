import { useEffect, useState } from 'preact/hooks'
import type { OutsideIdentity } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices, useSignIn } from '../../services/services.ts'
import { connectAddress, loadSignInMethods } from '../../session/provider.ts'
import { t } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/format-timestamp.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/notes.tsx'

/**
 * Lists the accounts at external providers that the user may sign in with. Hidden if there are no providers.
 */
export function IdentitiesSection() {
  const { configuration, toasts, tracker } = useServices()
  const startSignIn = useSignIn()
  const { value: methods } = useLoaded('sign-in methods', [], () => loadSignInMethods(configuration))
  const { value, problem, reload } = useLoaded('identities', [], () => tracker.call('GET /ext/identities'))
  const [identityToDisconnect, setIdentityToDisconnect] = useState<OutsideIdentity>()
  useConnectRedirect()
  const nameOf = (id: string) => methods?.providers.find((provider) => provider.id === id)?.name ?? id
  const disconnect = async ({ id, provider }: OutsideIdentity) => {
    try {
      await tracker.call('DELETE /ext/identities', { body: { id } })
      toasts.show({ kind: 'done', text: t('{name} was disconnected.', { name: nameOf(provider) }) })
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
    reload()
  }
  if (!methods || (methods.providers.length === 0 && !value?.identities.length)) return null
  return (
    <section aria-labelledby="identities-title">
      <h2 id="identities-title">{t('Linked accounts')}</h2>
      <p class="form-note">{t('Sign in here with an account at another provider.')}</p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      <ul class="rows">
        {value?.identities.map((identity) => (
          <li key={identity.id} class="row">
            <span class="row-text">
              <bdi>{nameOf(identity.provider)}</bdi>
              <span class="quiet-text line">
                <bdi>{identity.label}</bdi>
                {identity.lastUsedAt !== null &&
                  ` · ${t('last used {time}', { time: formatTimestamp(identity.lastUsedAt) })}`}
              </span>
            </span>
            <button type="button" class="button" onClick={() => setIdentityToDisconnect(identity)}>
              {t('Disconnect')}
              <span class="visually-hidden"> {identity.label}</span>
            </button>
          </li>
        ))}
        {methods.providers.map(({ id, name }) => (
          <li key={id} class="row">
            <span class="row-text">
              <bdi>{name}</bdi>
              <span class="quiet-text line">{t('Connect an account of this provider.')}</span>
            </span>
            <button
              type="button"
              class="button"
              onClick={() => startSignIn(`/account?connect=${id}`, { forcePrompt: true })}
            >
              {t('Connect {name}', { name })}
            </button>
          </li>
        ))}
      </ul>
      {identityToDisconnect && (
        <ConfirmDialog
          title={t('Disconnect {name}?', { name: identityToDisconnect.label })}
          text={t('It can no longer be used to sign in here, and the sessions it started end.')}
          confirmLabel={t('Disconnect')}
          onConfirm={() => void disconnect(identityToDisconnect)}
          onClose={() => setIdentityToDisconnect(undefined)}
        />
      )}
    </section>
  )
}

/**
 * Redirects to the external provider after the sign-in that linking requires. The user then confirms the
 * link.
 */
function useConnectRedirect() {
  const { configuration, router } = useServices()
  const provider = router.address.value.searchParams.get('connect')
  useEffect(() => {
    if (provider === null) return
    router.go('/account', { replace: true })
    location.assign(connectAddress(configuration, provider))
  }, [configuration, provider, router])
}
