import { useEffect, useState } from 'preact/hooks'
import type { OutsideIdentity } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { connectAddress, loadSignInWays } from '../../session/provider.ts'
import { startSignIn } from '../../session/sign-in.ts'
import { t } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/kept-format.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/notes.tsx'

/** Accounts at external providers that the user may sign in with. Hidden without providers. */
export function IdentitiesSection() {
  const { configuration, toasts, tracker } = useServices()
  const { value: ways } = useLoaded('sign-in ways', [], () => loadSignInWays(configuration))
  const { value, problem, reload } = useLoaded('identities', [], () => tracker.call('GET /ext/identities'))
  const [front, setFront] = useState<OutsideIdentity>()
  useConnecting()
  const nameOf = (id: string) => ways?.providers.find((one) => one.id === id)?.name ?? id
  const disconnect = async ({ id, provider }: OutsideIdentity) => {
    try {
      await tracker.call('DELETE /ext/identities', { body: { id } })
      toasts.show({ kind: 'done', text: t('{name} was disconnected.', { name: nameOf(provider) }) })
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
    reload()
  }
  if (!ways || (ways.providers.length === 0 && !value?.identities.length)) return null
  return (
    <section aria-labelledby="identities-title">
      <h2 id="identities-title">{t('Linked accounts')}</h2>
      <p class="form-note">{t('Sign in here with an account at another provider.')}</p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      <ul class="rows">
        {value?.identities.map((one) => (
          <li key={one.id} class="row">
            <span class="row-text">
              <bdi>{nameOf(one.provider)}</bdi>
              <span class="quiet-text line">
                <bdi>{one.label}</bdi>
                {one.lastUsedAt !== null &&
                  ` · ${t('last used {moment}', { moment: formatTimestamp(one.lastUsedAt) })}`}
              </span>
            </span>
            <button type="button" class="button" onClick={() => setFront(one)}>
              {t('Disconnect')}
              <span class="visually-hidden"> {one.label}</span>
            </button>
          </li>
        ))}
      </ul>
      <div class="form-buttons">
        {ways.providers.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            class="button"
            onClick={() => void startSignIn(configuration, `/account?connect=${id}`, { asks: true })}
          >
            {t('Connect {name}', { name })}
          </button>
        ))}
      </div>
      {front && (
        <ConfirmDialog
          title={t('Disconnect {name}?', { name: front.label })}
          text={t('It can no longer be used to sign in here, and the sessions it started end.')}
          confirmLabel={t('Disconnect')}
          onConfirm={() => void disconnect(front)}
          onClose={() => setFront(undefined)}
        />
      )}
    </section>
  )
}

/** Continues to the provider after the sign-in that linking requires; the question whether to link comes after that. */
function useConnecting() {
  const { configuration, router } = useServices()
  const provider = router.address.value.searchParams.get('connect')
  useEffect(() => {
    if (provider === null) return
    router.go('/account', { replace: true })
    location.assign(connectAddress(configuration, provider))
  }, [configuration, provider, router])
}
