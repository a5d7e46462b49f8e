import { useEffect, useState } from 'preact/hooks'
import type { Consent, OutsideIdentity, Session } from '#tracker-client'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices, useSignIn } from '../../services/services.ts'
import { connectAddress, loadSignInMethods } from '../../session/provider.ts'
import { inOneLine, t } from '../../texts/text.ts'
import { formatAgo, formatTimestamp } from '../../time/days.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { describeUserAgent } from './describe-user-agent.ts'

/** Lists the user's sessions. Each session except the current one has a button that ends it. */
export function SessionsSection() {
  const { session, toasts, tracker } = useServices()
  const { value, problem, reload } = useLoaded('sessions', [], () => tracker.call('GET /ext/sessions'))
  const [isEndingAll, setEndingAll] = useState(false)
  const run = async (work: () => Promise<unknown>, onDone: () => void) => {
    try {
      await work()
      onDone()
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
  const end = ({ id }: Session) =>
    run(
      () => tracker.call('DELETE /ext/sessions', { body: { ids: [id] } }),
      () => {
        toasts.show({ kind: 'done', text: t('The session was ended.') })
        reload()
      },
    )
  return (
    <section aria-labelledby="sessions-title">
      <h2 id="sessions-title">{t('Sessions')}</h2>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {value === undefined && !problem && <Skeleton as="rows" rows={2} cells="lines button" />}
      <ul class="rows">
        {value?.sessions.map((listed) => (
          <li key={listed.id} class="row">
            <span class="row-text">
              {browserOf(listed)}
              {listed.isCurrent && <span class="quiet-text"> {t('(this one)')}</span>}
              <span class="quiet-text line" title={exactTimesOf(listed)}>
                {inOneLine(
                  listed.lastUsedAt !== null && t('active {time}', { time: formatAgo(listed.lastUsedAt) }),
                  listed.address,
                  listed.provider !== null && t('via {provider}', { provider: listed.provider }),
                  t('signed in {time}', { time: formatAgo(listed.createdAt) }),
                )}
              </span>
            </span>
            {!listed.isCurrent && (
              <button type="button" class="button" onClick={() => void end(listed)}>
                {t('End session')}
                <span class="visually-hidden"> {browserOf(listed)}</span>
              </button>
            )}
          </li>
        ))}
        <li class="row">
          <span class="row-text">
            {t('All devices')}
            <span class="quiet-text line">{t('Ends all sessions and your personal access tokens.')}</span>
          </span>
          <button type="button" class="button danger" onClick={() => setEndingAll(true)}>
            {t('Sign out everywhere')}
          </button>
        </li>
      </ul>
      {isEndingAll && (
        <ConfirmDialog
          title={t('Sign out everywhere?')}
          text={t('You are signed out here and on all other devices, and your personal access tokens end.')}
          confirmLabel={t('End all')}
          onConfirm={() =>
            void run(
              () => tracker.call('POST /ext/sessions/end-all', { body: {} }),
              () => void session.signOut(),
            )
          }
          onClose={() => setEndingAll(false)}
        />
      )}
    </section>
  )
}

const exactTimesOf = ({ createdAt, lastUsedAt }: Session): string =>
  inOneLine(
    t('Since {time}', { time: formatTimestamp(createdAt) }),
    lastUsedAt !== null && t('last used {time}', { time: formatTimestamp(lastUsedAt) }),
  )

function browserOf({ userAgent, clientId }: Session): string {
  return userAgent === null ? (clientId ?? t('Unknown browser')) : describeUserAgent(userAgent)
}

/** Lists the apps that the user has given access to. Hidden if there are none. */
export function ConsentsSection() {
  const { toasts, tracker } = useServices()
  const { value, problem, reload } = useLoaded('consents', [], () => tracker.call('GET /ext/consents'))
  const [consentToRevoke, setConsentToRevoke] = useState<Consent>()
  const revoke = async ({ clientId, name }: Consent) => {
    try {
      await tracker.call('DELETE /ext/consents', { body: { clientId } })
      toasts.show({ kind: 'done', text: t('The access of {name} was revoked.', { name }) })
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
    reload()
  }
  if (!problem && !value?.consents.length) return null
  return (
    <section aria-labelledby="consents-title">
      <h2 id="consents-title">{t('Apps with access')}</h2>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      <ul class="rows">
        {value?.consents.map((consent) => (
          <li key={consent.clientId} class="row">
            <span class="row-text">
              <bdi>{consent.name}</bdi>
              <span class="quiet-text line">
                {consent.scopes.join(', ')} ·{' '}
                {t('since {time}', { time: formatTimestamp(consent.grantedAt) })}
              </span>
            </span>
            <button type="button" class="button" onClick={() => setConsentToRevoke(consent)}>
              {t('Revoke')}
              <span class="visually-hidden"> {consent.name}</span>
            </button>
          </li>
        ))}
      </ul>
      {consentToRevoke && (
        <ConfirmDialog
          title={t('Revoke the access of {name}?', { name: consentToRevoke.name })}
          text={t('It is signed out within 30 seconds, and asks for your consent when you use it again.')}
          confirmLabel={t('Revoke')}
          onConfirm={() => void revoke(consentToRevoke)}
          onClose={() => setConsentToRevoke(undefined)}
        />
      )}
    </section>
  )
}

/** Lists the user's accounts at external providers. Hidden if there are neither providers nor accounts. */
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
