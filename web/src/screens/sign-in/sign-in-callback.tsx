import { useEffect, useState } from 'preact/hooks'
import { useServices } from '../../services/services.ts'
import { completeSignIn } from '../../session/sign-in.ts'
import { t } from '../../texts/text.ts'
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

/** The last page of a sign-in in a separate tab. It closes the tab, and the other tab continues. */
export function SignedInTab() {
  useEffect(() => window.close(), [])
  return (
    <StandalonePage title={t('You are signed in again')}>
      <p>{t('Close this tab and continue in the one you came from: everything there is as you left it.')}</p>
    </StandalonePage>
  )
}
