import { useEffect, useState } from 'preact/hooks'
import { useServices } from '../../services/services.ts'
import { completeSignIn, startSignIn } from '../../session/sign-in.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { StandalonePage } from '../../ui/page.tsx'

/** Handles the provider's response, and continues to the requested address. */
export function SignInCallback() {
  const { configuration, router, session } = useServices()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    completeSignIn(configuration, router.address.peek().searchParams)
      .then(({ tokens, returnTo }) => {
        session.begin(tokens)
        router.go(returnTo, { replace: true })
      })
      .catch((error: Error) => setProblem(error.message))
  }, [configuration, router, session])
  if (problem === undefined)
    return (
      <main class="alone">
        <p role="status">{t('Signing you in…')}</p>
      </main>
    )
  return (
    <StandalonePage title={t('Sign-in failed')}>
      <p role="alert">{problem}</p>
      <a class="button primary wide" href="/login/">
        {t('Start again')}
      </a>
    </StandalonePage>
  )
}

/** The end of a sign-in in a separate tab: the other tab continues. */
export function SignedInTab() {
  useEffect(() => window.close(), [])
  return (
    <StandalonePage title={t('You are signed in again')}>
      <p>{t('Close this tab and continue in the one you came from: everything there is as you left it.')}</p>
    </StandalonePage>
  )
}

/**
 * The session has ended, and this page still has unsaved work. The user signs in in a separate tab, so that nothing here is lost;
 * the dialog closes when this browser has a session again.
 */
export function SessionEndedDialog() {
  const { configuration, router } = useServices()
  const [isPutAside, setPutAside] = useState(false)
  const signIn = () => {
    const { pathname, search } = router.address.peek()
    const tab = window.open('/login/?again')
    // The tab was blocked, so this one redirects; drafts restore the typed text.
    if (tab === null) void startSignIn(configuration, pathname + search)
  }
  if (isPutAside)
    return (
      <div class="session-ended" role="status">
        <span>{t('Your session has ended.')}</span>
        <button type="button" class="button primary" onClick={signIn}>
          {t('Sign in again')}
        </button>
      </div>
    )
  return (
    <Dialog title={t('Your session has ended')} onClose={() => setPutAside(true)}>
      <p>
        {t(
          'It was ended on another device, or has lasted eight hours. Sign in again to continue here: nothing you typed is lost.',
        )}
      </p>
      <div class="form-buttons">
        <button type="button" class="button" onClick={() => setPutAside(true)}>
          {t('Not now')}
        </button>
        <button type="button" class="button primary" data-autofocus onClick={signIn}>
          {t('Sign in again')}
        </button>
      </div>
    </Dialog>
  )
}
